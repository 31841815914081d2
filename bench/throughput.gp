# Bars: bytes per second by shape. Given: data, columns, svg.
set terminal svg size 1100,520 background rgb 'white' font 'sans-serif,13'
set output svg
set title 'Rotation in place, float, one thread: bytes read and written per second' textcolor rgb 'black'
set xlabel 'tokens x heads x head_dim' offset 0,-1.5 noenhanced
set bmargin 6
set ylabel 'GB/s'
set logscale y 10
set yrange [0.1:*]
set ytics (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500)
set format y '%g'
set grid ytics linetype 1 linecolor rgb '#cccccc'
set style data histograms
set style histogram clustered gap 1
set style fill solid 1.0 noborder
set boxwidth 0.95
set key outside right top vertical reverse Left
set tics nomirror
array color[8] = ['#999999', '#0072b2', '#56b4e9', '#009e73', '#e69f00', '#cc79a7', '#d55e00', '#000000']
plot for [i=2:columns] data using i:xtic(1) title columnheader(i) linecolor rgb color[i-1]
