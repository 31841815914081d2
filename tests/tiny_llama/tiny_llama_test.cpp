// examples/tiny_llama.cpp as a whole: the program is run, and what it prints is compared. The trained model is looked for
// in $POSENC_MODEL_DIR or ../shared/models; what needs no training is tested with a small model of random weights.

#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../catch.hpp"

#if defined(POSENC_TEST_HAS_JSON)
#include <nlohmann/json.hpp>
#endif

namespace {

using posenc_test::contains;
using posenc_test::skip;

// --- Running the program ---------------------------------------------------------------------------------------

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::string write(const std::string& name, const std::string& bytes) {
  const std::string path = TINY_LLAMA_FOLDER "/" + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

struct Run {
  int exit_code;  // -1 for a crash
  std::string out, error;
};

/// Files of one run are told apart by `name`: ctest runs test cases side by side.
Run run(const std::string& name, const std::string& arguments) {
  const std::string out = TINY_LLAMA_FOLDER "/" + name + ".out", error = TINY_LLAMA_FOLDER "/" + name + ".error";
  const std::string command = TINY_LLAMA_COMMAND " " + arguments + " > '" + out + "' 2> '" + error + "'";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, bytes_of(out), bytes_of(error)};
}

std::string quoted(const std::string& a, const std::string& b) { return "'" + a + "' '" + b + "'"; }

/// What --logits printed: for each position its token, then its logits.
std::vector<std::vector<double>> numbers(const std::string& printed) {
  std::vector<std::vector<double>> result;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    result.emplace_back();
    for (double value; words >> value;) result.back().push_back(value);
  }
  return result;
}

double largest_difference(const std::vector<std::vector<double>>& a, const std::vector<std::vector<double>>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t j = 0; j < a[i].size(); ++j) largest = std::max(largest, std::abs(a[i][j] - b[i][j]));
  }
  return largest;
}

// --- The trained model -----------------------------------------------------------------------------------------

#if defined(POSENC_TEST_HAS_JSON)

struct Trained {
  std::string arguments;  // empty where there is no model
  nlohmann::json expected;
};

Trained trained() {
  const char* given = std::getenv("POSENC_MODEL_DIR");
  const std::string folder = given != nullptr ? given : POSENC_TEST_ROOT "/../shared/models";
  const std::string model = folder + "/stories260K.bin", tokenizer = folder + "/tok512.bin";
  std::ifstream expected(folder + "/stories260K.expected.json");
  if (!expected || !std::ifstream(model) || !std::ifstream(tokenizer)) return {};
  return {quoted(model, tokenizer), nlohmann::json::parse(expected)};
}

TEST_CASE("tiny_llama tells the trained model's story to the letter and finds its three checks right") {
  const Trained model = trained();
  if (model.arguments.empty()) return skip("no model stories260K in $POSENC_MODEL_DIR or ../shared/models");
  const Run result = run("story", model.arguments);
  const std::string text = model.expected["text"], ending = "\n\n346 tokens";
  CHECK(result.exit_code == 0);
  CHECK(result.error.empty());
  CHECK(result.out.substr(0, text.size() + ending.size()) == text + ending);

  std::istringstream lines(result.out.substr(std::min(result.out.size(), text.size() + 2)));
  std::vector<std::string> checks;
  for (std::string line; std::getline(lines, line);) checks.push_back(line);
  REQUIRE(checks.size() == 4);
  CHECK_THAT(checks[1], contains("All tokens at once: logits differ by at most ") && contains("[right]"));
  CHECK_THAT(checks[2], contains("1000000 on: the same story, logits differ by at most ") && contains("[right]"));
  CHECK_THAT(checks[3], contains("Without positions: ") && contains("[right]"));
}

TEST_CASE("tiny_llama takes the expected tokens and its logits are within 5e-5 of those evaluated in double") {
  const Trained model = trained();
  if (model.arguments.empty()) return skip("no model stories260K in $POSENC_MODEL_DIR or ../shared/models");
  const Run result = run("logits", "--logits " + model.arguments);
  CHECK(result.exit_code == 0);
  const auto printed = numbers(result.out);
  std::vector<int> tokens;
  for (const auto& line : printed) tokens.push_back(static_cast<int>(line.at(0)));
  REQUIRE(tokens == model.expected["tokens"].get<std::vector<int>>());
  CHECK(model.expected["logits"].size() == 7);
  for (const auto& [position, logits] : model.expected["logits"].items()) {
    INFO("position " << position);
    const auto& line = printed.at(std::stoul(position));
    const std::vector<double> found(line.begin() + 1, line.end());
    CHECK(largest_difference({found}, {logits.get<std::vector<double>>()}) <= 5e-5);
  }
}

#endif

// --- A small model of random weights ---------------------------------------------------------------------------

struct Sizes {
  std::int32_t dim = 24, hidden = 20, layers = 2, heads = 4, kv_heads = 2, vocab = 40, seq_len = 16;
  bool own_classifier = false;
};

template <class T>
void append(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

/// Each tensor has random numbers of its own, by its name, whatever the sizes of the others. Where every key and value
/// head is used by one query head alone, it has the numbers that it would have if two shared it.
std::string random_model(const Sizes& s) {
  std::string bytes;
  for (const std::int32_t size :
       {s.dim, s.hidden, s.layers, s.heads, s.kv_heads, s.own_classifier ? -s.vocab : s.vocab, s.seq_len}) {
    append(bytes, size);
  }
  const auto tensor = [&](std::uint64_t name, int rows, int cols, float center = 0, int head_rows = 0) {
    std::vector<float> values;
    std::uint64_t state = name * 0x9E3779B97F4A7C15u;
    for (int i = 0; i < rows * cols; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      values.push_back(center + static_cast<float>(state >> 40) * 0x1p-24f - 0.5f);
    }
    const int copies = head_rows > 0 && s.kv_heads == s.heads ? 2 : 1, head = std::max(head_rows, 1) * cols;
    for (int first = 0; first < (head_rows > 0 ? rows / copies * cols : rows * cols); first += head) {
      for (int copy = 0; copy < copies; ++copy) {
        for (int i = 0; i < head; ++i) append(bytes, values[static_cast<std::size_t>(first + i)]);
      }
    }
  };
  const int head_dim = s.dim / s.heads, kv_dim = s.kv_heads * head_dim;
  tensor(1, s.vocab, s.dim);
  tensor(2, s.layers, s.dim, 1);
  tensor(3, s.layers * s.dim, s.dim);
  tensor(4, s.layers * kv_dim, s.dim, 0, head_dim);
  tensor(5, s.layers * kv_dim, s.dim, 0, head_dim);
  tensor(6, s.layers * s.dim, s.dim);
  tensor(7, s.layers, s.dim, 1);
  tensor(8, s.layers * s.hidden, s.dim);
  tensor(9, s.layers * s.dim, s.hidden);
  tensor(10, s.layers * s.hidden, s.dim);
  tensor(11, 1, s.dim, -1);  // negative: no token is likeliest after itself
  tensor(12, s.seq_len, head_dim);
  if (s.own_classifier) tensor(1, s.vocab, s.dim);  // the embedding's numbers
  return bytes;
}

std::string tokenizer(int pieces) {
  std::string bytes;
  append(bytes, std::int32_t{8});
  for (int i = 0; i < pieces; ++i) {
    const std::string piece = " word" + std::to_string(i);
    append(bytes, 0.0f);
    append(bytes, static_cast<std::int32_t>(piece.size()));
    bytes += piece;
  }
  return bytes;
}

std::vector<std::vector<double>> random_logits(const std::string& name, const Sizes& sizes) {
  const Run result = run(name, "--logits " + quoted(write(name + ".bin", random_model(sizes)),
                                                    write(name + ".tok", tokenizer(sizes.vocab))));
  REQUIRE(result.error.empty());
  REQUIRE(result.exit_code == 0);
  return numbers(result.out);
}

TEST_CASE("tiny_llama with key heads that two query heads share is the model where each has its own copy") {
  Sizes shared, copied;
  copied.kv_heads = copied.heads;
  const auto expected = random_logits("shared", shared);
  REQUIRE(expected.size() > 4);
  CHECK(largest_difference(random_logits("copied", copied), expected) <= 1e-4);
}

TEST_CASE("tiny_llama with a negative vocabulary reads a classifier of its own") {
  Sizes shared, own;
  own.own_classifier = true;
  const auto expected = random_logits("embedding", shared);
  CHECK(largest_difference(random_logits("classifier", own), expected) == 0);

  std::string other = random_model(own);
  for (std::size_t i = other.size() - sizeof(float) * 40 * 24; i < other.size(); i += sizeof(float)) {
    other[i + 3] = static_cast<char>(other[i + 3] ^ '\x80');  // every weight of the classifier negated
  }
  const Run result =
      run("negated", "--logits " + quoted(write("negated.bin", other), write("negated.tok", tokenizer(40))));
  const auto negated = numbers(result.out);
  REQUIRE(!negated.empty());
  for (std::size_t j = 1; j <= 40; ++j) CHECK(negated[0][j] == -expected[0][j]);
}

TEST_CASE("tiny_llama ends where the context of the model ends") {
  Sizes sizes;
  sizes.seq_len = 5;
  CHECK(random_logits("context", sizes).size() == 5);
}

TEST_CASE("tiny_llama prints a byte piece as its byte and drops the first space") {
  // A model that ignores all but the token: it goes 1, 2, 3, 4, 1 by a classifier of its own.
  Sizes sizes;
  sizes.dim = 8, sizes.hidden = 1, sizes.layers = 1, sizes.heads = 1, sizes.kv_heads = 1, sizes.vocab = 5;
  sizes.own_classifier = true;
  std::string model;
  for (const std::int32_t size : {8, 1, 1, 1, 1, -5, 16}) append(model, size);
  const auto one_hot = [&](std::array<int, 5> channels) {
    for (const int channel : channels) {
      for (int c = 0; c < 8; ++c) append(model, c == channel ? 1.0f : 0.0f);
    }
  };
  one_hot({0, 1, 2, 3, 4});
  for (int i = 0; i < 8 + 4 * 64 + 8 + 3 * 8; ++i) append(model, 0.0f);  // one layer, which adds nothing
  for (int i = 0; i < 8; ++i) append(model, 1.0f);
  for (int i = 0; i < 16 * 8; ++i) append(model, 0.0f);
  one_hot({0, 4, 1, 2, 3});
  std::string pieces;
  append(pieces, std::int32_t{6});
  for (const std::string piece : {"", "", " a", " b", "<0x0A>"}) {
    append(pieces, 0.0f);
    append(pieces, static_cast<std::int32_t>(piece.size()));
    pieces += piece;
  }
  const Run result = run("bytes", quoted(write("bytes.bin", model), write("bytes.tok", pieces)));
  CHECK(result.out.substr(0, 11) == "a b\n\n\n4 tok");
  // Positions make no difference to such a model, and the program says so.
  CHECK_THAT(result.out, contains("Without positions: a b\n ...  [WRONG]"));
  CHECK(result.exit_code == 1);
}

// --- Files that are not what they should be --------------------------------------------------------------------

/// Exit code 1, nothing on the standard output, and one line, which names the file and says what was expected. A
/// sanitizer's report would be more lines.
void check_refused(const Run& result, const std::string& message) {
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK(result.error == "tiny_llama: " + message + "\n");
}

std::string with_number(std::string bytes, std::size_t at, std::int32_t number) {
  std::string raw;
  append(raw, number);
  return bytes.replace(at, raw.size(), raw);
}

const std::string a_model = ": expected a model in llama2.c's first format, but ";

void check_model_refused(const std::string& name, const std::string& bytes, const std::string& complaint) {
  INFO(name << ", " << bytes.size() << " bytes");
  const std::string model = write(name + ".bin", bytes);
  check_refused(run(name, quoted(model, "no_such_file")), model + a_model + complaint);
}

TEST_CASE("tiny_llama refuses files that are no models") {
  check_refused(run("missing", quoted("no_such_model", "no_such_file")),
                "no_such_model" + a_model + "it cannot be opened");
  check_refused(run("folder", quoted("/", "no_such_file")), "/" + a_model + "it ends in its header of 7 sizes");
  check_model_refused("empty", "", "it ends in its header of 7 sizes");
  check_model_refused("ten", std::string(10, '\1'), "it ends in its header of 7 sizes");
  check_model_refused("text", "Once upon a time there was a text file.", "dim is 1701015119, not within 1 .. 1048576");
}

TEST_CASE("tiny_llama refuses a model that is cut or has bytes after its end") {
  const std::string model = random_model({});
  const std::string size = std::to_string(model.size());
  for (const std::size_t bytes : {std::size_t{28}, std::size_t{29}, std::size_t{1000}, model.size() / 2,
                                  model.size() - 4, model.size() - 1, model.size() + 1, model.size() + 4}) {
    std::string changed = model;
    changed.resize(bytes, 'x');
    check_model_refused("cut", changed,
                        "it has " + std::to_string(bytes) + " bytes, and not " + size + " as by its header");
  }
}

TEST_CASE("tiny_llama refuses a header with sizes that cannot be") {
  const std::string model = random_model({});
  const char* names[] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
  const auto with_size = [](const std::string& bytes, int field, std::int32_t value) {
    return with_number(bytes, static_cast<std::size_t>(4 * field), value);
  };
  for (int field = 0; field < 7; ++field) {
    const std::string limit = field == 2 ? "1024" : "1048576";
    for (const std::int32_t value : {0, -1, 1 << 21, INT32_MAX, INT32_MIN}) {
      if (field == 5 && value == -1) continue;
      check_model_refused("size", with_size(model, field, value),
                          std::string(names[field]) + " is " + std::to_string(value) + ", not within 1 .. " + limit);
    }
  }
  check_model_refused("odd", with_size(model, 3, 8), "dim 24 is not 8 heads of even width");
  check_model_refused("unequal", with_size(model, 3, 5), "dim 24 is not 5 heads of even width");
  check_model_refused("unshared", with_size(model, 4, 3), "3 key heads cannot be shared by 4 heads");
  check_model_refused("one_word", with_size(model, 5, 1), "vocab_size is 1, not at least 2");

  // The largest sizes that may be: the file would have 32 petabytes, which the message has to the byte.
  std::string largest = model;
  for (const int field : {0, 1, 5, 6}) largest = with_size(largest, field, 1 << 20);
  largest = with_size(with_size(with_size(largest, 2, 1 << 10), 3, 1), 4, 1);
  check_model_refused("largest", largest,
                      "it has " + std::to_string(model.size()) + " bytes, and not 31534002078744604 as by its header");
}

TEST_CASE("tiny_llama refuses a tokenizer that is cut or does not fit the model") {
  const std::string model = write("good.bin", random_model({})), good = tokenizer(40);
  const auto check_tokenizer_refused = [&](const std::string& bytes, const std::string& complaint) {
    INFO(bytes.size() << " bytes");
    const std::string path = write("bad.tok", bytes);
    check_refused(run("bad", quoted(model, path)),
                  path + ": expected a tokenizer with the model's 40 pieces, but " + complaint);
  };
  check_refused(run("bad", quoted(model, "no_such_tokenizer")),
                "no_such_tokenizer: expected a tokenizer with the model's 40 pieces, but it cannot be opened");
  check_tokenizer_refused("", "it ends in its header");
  check_tokenizer_refused("abc", "it ends in its header");
  check_tokenizer_refused(good.substr(0, 4), "it ends in piece 0");
  check_tokenizer_refused(good.substr(0, 10), "it ends in piece 0");
  check_tokenizer_refused(good.substr(0, good.size() / 2), "it ends in piece 20");
  check_tokenizer_refused(good.substr(0, good.size() - 1), "it ends in piece 39");
  check_tokenizer_refused(tokenizer(39), "it ends in piece 39");
  check_tokenizer_refused(tokenizer(41), "it has more");
  check_tokenizer_refused("Once upon a time", "its longest piece has 1701015119 bytes");
  for (const std::int32_t length : {9, -1, INT32_MAX, INT32_MIN}) {
    check_tokenizer_refused(with_number(good, 8, length), "piece 0 has " + std::to_string(length) + " bytes");
  }
}

TEST_CASE("tiny_llama survives weights that are no numbers") {
  std::string model = random_model({});
  std::fill(model.begin() + 28, model.end(), '\xff');
  const Run result = run("nan", quoted(write("nan.bin", model), write("nan.tok", tokenizer(40))));
  CHECK((result.exit_code == 0 || result.exit_code == 1));  // what it prints is nonsense, but it ends
  CHECK(result.error.empty());
}

TEST_CASE("tiny_llama without two files says how it is used") {
  for (const std::string arguments : {"", "one", "one two three", "--logits one", "--other one two"}) {
    const Run result = run("usage", arguments);
    CHECK(result.exit_code == 1);
    CHECK(result.error == "usage: tiny_llama [--logits] MODEL.bin TOKENIZER.bin\n");
  }
}

}  // namespace
