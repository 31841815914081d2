# Points: bytes per second by shape. Given: data, columns, svg.
set terminal svg size 1100,520 background rgb 'white' font 'sans-serif,13'
set output svg
set title 'Rotation in place, float, one thread: bytes read and written per second' textcolor rgb 'black'
set xlabel 'tokens x heads x head_dim' offset 0,-1.5 noenhanced
set bmargin 6
set ylabel 'GB/s'
set logscale y 10
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
set format y '%g'
set grid ytics linetype 1 linecolor rgb '#cccccc'
set key outside right top vertical reverse Left
set tics nomirror
array color[8] = ['#999999', '#0072b2', '#56b4e9', '#009e73', '#e69f00', '#cc79a7', '#d55e00', '#000000']
array mark[8] = [7, 5, 9, 11, 13, 7, 5, 9]
stats data using 0 nooutput
shapes = STATS_records - 1  # the first line has the names
set xrange [-0.5:shapes - 0.5]
do for [i=1:shapes-1] { set arrow from i - 0.5, graph 0 to i - 0.5, graph 1 nohead linecolor rgb '#cccccc' }
aside(i) = (i - (columns + 2) / 2.0) * 0.09  # the ways of one shape stand side by side
set key autotitle columnheader
set tics scale 0
plot for [i=2:columns] data using ($0 + aside(i)):i with points pointtype mark[i-1] pointsize 1.1 \
         linecolor rgb color[i-1], \
     data using 0:(NaN):xtic(1) with points notitle
