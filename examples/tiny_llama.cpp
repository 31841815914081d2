// Decodes a small Llama model: Eigen does the algebra, posenc the positions.
//   g++ -std=c++17 -O3 -I include -I /usr/include/eigen3 examples/tiny_llama.cpp -o tiny_llama
//   ./tiny_llama MODEL.bin TOKENIZER.bin            prints the model's story, then checks what positions do to it
//   ./tiny_llama --logits MODEL.bin TOKENIZER.bin   prints numbers: one line per position, its token and all its logits
// The files are of llama2.c's first format (little-endian), for example stories260K.bin and tok512.bin of the project
// karpathy/tinyllamas. Its RoPE has interleaved pairs and base 10000.

#include <posenc/rope.hpp>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

using Eigen::Index;
using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rope = posenc::Rope<float>;

constexpr Index begin_token = 1;       // starts the text and, when predicted, ends it
constexpr Index longest_story = 1024;  // tokens

// --- The files -------------------------------------------------------------------------------------------------

/// A file to read from, which says what is wrong with it.
struct File {
  std::string name, expected;
  std::ifstream stream;

  File(const std::string& file_name, const std::string& what)
      : name(file_name), expected(what), stream(file_name, std::ios::binary) {
    require(stream.good(), "it cannot be opened");
  }
  template <class... Parts>
  void require(bool condition, const Parts&... parts) const {
    if (condition) return;
    std::ostringstream message;
    message << name << ": expected " << expected << ", but ";
    (message << ... << parts);
    throw std::runtime_error(message.str());
  }
  template <class T, class... Where>
  void read(T* to, Index count, const Where&... where) {
    stream.read(reinterpret_cast<char*>(to), count * static_cast<Index>(sizeof(T)));
    require(stream.good(), "it ends in ", where...);
  }
};

/// Sizes and weights. A weight matrix has one row an output; the layers stand one below the other.
struct Model {
  Index dim, hidden, layers, heads, kv_heads, vocab, seq_len;
  Matrix embedding;               // vocab x dim
  Matrix attention_norm;          // layers x dim
  Matrix wq, wk, wv, wo;          // layers*dim x dim, layers*kv_dim x dim twice, layers*dim x dim
  Matrix feed_norm;               // layers x dim
  Matrix w1, w2, w3;              // layers*hidden x dim, layers*dim x hidden, layers*hidden x dim
  Matrix final_norm, classifier;  // 1 x dim, vocab x dim

  Index head_dim() const { return dim / heads; }
  Index kv_dim() const { return kv_heads * head_dim(); }
};

Model load_model(const std::string& name) {
  File file(name, "a model in llama2.c's first format");
  std::int32_t header[7];
  file.read(header, 7, "its header of 7 sizes");
  const bool own_classifier = header[5] < 0;  // otherwise the classifier is the embedding
  const std::int64_t sizes[7] = {
      header[0], header[1], header[2], header[3], header[4], std::abs(std::int64_t{header[5]}), header[6]};
  const char* names[7] = {"dim", "hidden_dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size", "seq_len"};
  for (int i = 0; i < 7; ++i) {  // below 2^20, 2^10 layers: no product of them leaves 64 bits
    const std::int64_t limit = i == 2 ? 1 << 10 : 1 << 20;
    file.require(sizes[i] >= 1 && sizes[i] <= limit, names[i], " is ", header[i], ", not within 1 .. ", limit);
  }
  Model m;
  m.dim = sizes[0], m.hidden = sizes[1], m.layers = sizes[2], m.heads = sizes[3], m.kv_heads = sizes[4];
  m.vocab = sizes[5], m.seq_len = sizes[6];
  file.require(m.dim % m.heads == 0 && m.head_dim() % 2 == 0, "dim ", m.dim, " is not ", m.heads,
               " heads of even width");
  file.require(m.heads % m.kv_heads == 0, m.kv_heads, " key heads cannot be shared by ", m.heads, " heads");
  file.require(m.vocab > begin_token, "vocab_size is ", m.vocab, ", not at least 2");

  // The header tells the size of the file, which is compared before anything is allocated.
  const std::int64_t unused = m.seq_len * m.head_dim();  // tables of cosines and sines: posenc needs none
  const std::int64_t layer = 2 * m.dim + 2 * m.dim * m.dim + 2 * m.kv_dim() * m.dim + 3 * m.hidden * m.dim;
  const std::int64_t floats = (own_classifier ? 2 : 1) * m.vocab * m.dim + m.layers * layer + m.dim + unused;
  const auto bytes = static_cast<std::int64_t>(file.stream.seekg(0, std::ios::end).tellg());
  file.require(bytes == 28 + 4 * floats, "it has ", bytes, " bytes, and not ", 28 + 4 * floats, " as by its header");

  file.stream.seekg(28);
  const auto read = [&](Index rows, Index cols) {
    Matrix weights(rows, cols);
    file.read(weights.data(), weights.size(), "its weights");
    return weights;
  };
  m.embedding = read(m.vocab, m.dim);
  m.attention_norm = read(m.layers, m.dim);
  m.wq = read(m.layers * m.dim, m.dim);
  m.wk = read(m.layers * m.kv_dim(), m.dim);
  m.wv = read(m.layers * m.kv_dim(), m.dim);
  m.wo = read(m.layers * m.dim, m.dim);
  m.feed_norm = read(m.layers, m.dim);
  m.w1 = read(m.layers * m.hidden, m.dim);
  m.w2 = read(m.layers * m.dim, m.hidden);
  m.w3 = read(m.layers * m.hidden, m.dim);
  m.final_norm = read(1, m.dim);
  file.stream.seekg(4 * unused, std::ios::cur);
  m.classifier = own_classifier ? read(m.vocab, m.dim) : m.embedding;
  return m;
}

/// The pieces of text that the tokens 0 .. vocab - 1 stand for.
std::vector<std::string> load_tokenizer(const std::string& name, Index vocab) {
  File file(name, "a tokenizer with the model's " + std::to_string(vocab) + " pieces");
  std::int32_t longest, length;
  float score;
  file.read(&longest, 1, "its header");
  file.require(longest >= 1 && longest <= 1024, "its longest piece has ", longest, " bytes");
  std::vector<std::string> pieces;
  for (Index i = 0; i < vocab; ++i) {
    file.read(&score, 1, "piece ", i);
    file.read(&length, 1, "piece ", i);
    file.require(length >= 0 && length <= longest, "piece ", i, " has ", length, " bytes");
    pieces.emplace_back(static_cast<std::size_t>(length), ' ');
    file.read(pieces.back().data(), length, "piece ", i);
  }
  file.require(file.stream.peek() == std::ifstream::traits_type::eof(), "it has more");
  return pieces;
}

// --- The transformer -------------------------------------------------------------------------------------------

/// x: T x dim, weight: 1 x dim  ->  every row divided by its root mean square, times the weight.
Matrix rms_norm(const Matrix& x, const Matrix& weight) {
  const Eigen::ArrayXf root = (x.array().square().rowwise().mean() + 1e-5f).sqrt();
  return ((x.array().colwise() / root).rowwise() * weight.row(0).array()).matrix();
}

/// Keys, already rotated, and values of the tokens so far: a matrix per layer, tokens x kv_dim.
struct Cache {
  explicit Cache(const Model& m, Index tokens)
      : keys(static_cast<std::size_t>(m.layers), Matrix(tokens, m.kv_dim())), values(keys) {}
  std::vector<Matrix> keys, values;
  Index used = 0;
};

/// q: T x (heads * head_dim), the last T of S tokens; keys, values: S x (kv_heads * head_dim)  ->  T x (heads * head_dim).
template <class Block>
Matrix attention(const Model& m, const Matrix& q, const Block& keys, const Block& values) {
  const Index T = q.rows(), S = keys.rows(), D = m.head_dim();
  Matrix out(T, q.cols());
  for (Index h = 0; h < m.heads; ++h) {
    const Index shared = h / (m.heads / m.kv_heads) * D;  // the key and value head that this query head uses
    Matrix scores = q.middleCols(h * D, D) * keys.middleCols(shared, D).transpose() / std::sqrt(static_cast<float>(D));
    for (Index i = 0; i < T; ++i) {  // softmax over the token itself and those before it
      auto past = scores.row(i).head(S - T + i + 1);
      past = (past.array() - past.maxCoeff()).exp().matrix().eval();
      past /= past.sum();
      scores.row(i).tail(T - 1 - i).setZero();
    }
    out.middleCols(h * D, D) = scores * values.middleCols(shared, D);
  }
  return out;
}

/// Logits after each of T tokens, T x vocab. The tokens follow those in the cache and join them; the first token ever
/// has position `start`. Without rope, the model does not know where its tokens stand.
Matrix evaluate(const Model& m, const Rope* rope, const std::vector<Index>& tokens, Index start, Cache& cache) {
  const Index T = static_cast<Index>(tokens.size()), before = cache.used, position = start + before;
  cache.used += T;
  Matrix x(T, m.dim);
  for (Index i = 0; i < T; ++i) x.row(i) = m.embedding.row(tokens[static_cast<std::size_t>(i)]);

  for (Index l = 0; l < m.layers; ++l) {
    const Matrix h = rms_norm(x, m.attention_norm.row(l));
    Matrix q = h * m.wq.middleRows(l * m.dim, m.dim).transpose();                  // T x (heads * head_dim)
    const Matrix k = h * m.wk.middleRows(l * m.kv_dim(), m.kv_dim()).transpose();  // T x (kv_heads * head_dim)
    Matrix& keys = cache.keys[static_cast<std::size_t>(l)];
    Matrix& values = cache.values[static_cast<std::size_t>(l)];
    values.middleRows(before, T) = h * m.wv.middleRows(l * m.kv_dim(), m.kv_dim()).transpose();
    if (rope != nullptr) {
      rope->rotate(q, position);
      rope->rotate_to(keys.middleRows(before, T), k, position);
    } else {
      keys.middleRows(before, T) = k;
    }
    const Matrix mixed = attention(m, q, keys.topRows(cache.used), values.topRows(cache.used));
    x += mixed * m.wo.middleRows(l * m.dim, m.dim).transpose();

    const Matrix f = rms_norm(x, m.feed_norm.row(l));
    const Eigen::ArrayXXf gate = f * m.w1.middleRows(l * m.hidden, m.hidden).transpose();  // T x hidden
    const Eigen::ArrayXXf up = f * m.w3.middleRows(l * m.hidden, m.hidden).transpose();
    x += (gate / (1 + (-gate).exp()) * up).matrix() * m.w2.middleRows(l * m.dim, m.dim).transpose();
  }
  return rms_norm(x, m.final_norm) * m.classifier.transpose();
}

// --- The story -------------------------------------------------------------------------------------------------

struct Story {
  std::vector<Index> tokens;  // T, the first is begin_token
  Matrix logits;              // T x vocab, after each of them
};

/// Takes the likeliest token, again and again. Each is evaluated once: those before it are in the cache.
Story tell(const Model& m, const Rope* rope, Index start) {
  const Index longest = std::min(m.seq_len, longest_story);
  Cache cache(m, longest);
  Story story{{}, Matrix(longest, m.vocab)};
  Index token = begin_token;
  do {
    story.tokens.push_back(token);
    auto logits = story.logits.row(cache.used);
    logits = evaluate(m, rope, {token}, start, cache);
    token = std::max_element(logits.data(), logits.data() + m.vocab) - logits.data();
  } while (token != begin_token && cache.used < longest);
  story.logits.conservativeResize(cache.used, m.vocab);
  return story;
}

std::string text(const Story& story, const std::vector<std::string>& pieces) {
  std::string result;
  for (std::size_t i = 1; i < story.tokens.size(); ++i) {
    std::string piece = pieces[static_cast<std::size_t>(story.tokens[i])];
    if (piece.size() == 6 && piece.rfind("<0x", 0) == 0 && piece[5] == '>') {  // <0xHH> stands for one byte
      piece = static_cast<char>(std::strtol(piece.substr(3, 2).c_str(), nullptr, 16));
    }
    result += i == 1 && piece.rfind(' ', 0) == 0 ? piece.substr(1) : piece;
  }
  return result;
}

void print_numbers(const Story& story) {
  for (std::size_t i = 0; i < story.tokens.size(); ++i) {
    std::printf("%d", static_cast<int>(story.tokens[i]));
    for (const float logit : story.logits.row(static_cast<Index>(i))) std::printf(" %.9g", static_cast<double>(logit));
    std::printf("\n");
  }
}

/// Prints the story and three checks of it; true if all come out as they should.
bool tell_and_check(const Model& m, const Rope& rope, const Story& story, const std::vector<std::string>& pieces) {
  std::cout << text(story, pieces) << "\n\n" << story.tokens.size() << " tokens, one by one with a key cache.\n";
  const auto difference = [&](const Matrix& logits) { return (logits - story.logits).cwiseAbs().maxCoeff(); };
  const auto verdict = [](bool right) { return right ? "  [right]\n" : "  [WRONG]\n"; };
  std::cout.precision(2);

  Cache cache(m, story.logits.rows());
  const Matrix logits = evaluate(m, &rope, story.tokens, 0, cache);
  const bool agrees = difference(logits) <= 1e-5f * story.logits.cwiseAbs().maxCoeff();
  std::cout << "All tokens at once: logits differ by at most " << difference(logits) << verdict(agrees);

  const Story shifted = tell(m, &rope, 1000000);
  const bool same = shifted.tokens == story.tokens;
  std::cout << "Positions from 1000000 on: ";
  if (same) std::cout << "the same story, logits differ by at most " << difference(shifted.logits);
  if (!same) std::cout << "another story: " << text(shifted, pieces).substr(0, 50) << " ...";
  std::cout << verdict(same);

  const Story lost = tell(m, nullptr, 0);
  const bool another = lost.tokens != story.tokens;
  std::cout << "Without positions: " << text(lost, pieces).substr(0, 50) << " ..." << verdict(another);
  return agrees && same && another;
}

int main(int argc, char** argv) {
  const bool numbers_only = argc > 1 && std::string(argv[1]) == "--logits";
  if (argc != (numbers_only ? 4 : 3)) {
    std::cerr << "usage: tiny_llama [--logits] MODEL.bin TOKENIZER.bin\n";
    return 1;
  }
  try {
    const Model model = load_model(argv[argc - 2]);
    const std::vector<std::string> pieces = load_tokenizer(argv[argc - 1], model.vocab);
    const Rope rope(posenc::Frequencies::geometric(model.head_dim()), posenc::PairLayout::interleaved);
    const Story story = tell(model, &rope, 0);
    if (!numbers_only) return tell_and_check(model, rope, story, pieces) ? 0 : 1;
    print_numbers(story);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "tiny_llama: " << error.what() << "\n";
    return 1;
  }
}
