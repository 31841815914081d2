# Section 6: the pattern of codes. Given: data, svg.
width = 900; height = 780
load 'style.gp'
set title 'PE(p): every row is a position, every column a coordinate (d = 64)'
set xlabel 'coordinate j: sine at j = 2k, cosine at j = 2k + 1; fast clocks left, slow clocks right'
set ylabel 'position p'
set xrange [-0.5:63.5]
set yrange [63.5:-0.5]
set xtics 8 out
set ytics 8 out
set border 15
unset grid
unset key
set cbrange [-1:1]
set cbtics 0.5
set cblabel 'PE(p, j)' textcolor rgb ink
set palette defined (-1 '#00446b', -0.5 '#4d9cc9', 0 '#f7f7f7', 0.5 '#f0955a', 1 '#a13f00') maxcolors 41
plot data matrix with image pixels
