# Lines: largest error by position. Given: data, svg.
set terminal svg size 1100,520 background rgb 'white' font 'sans-serif,13'
set output svg
set title 'Largest error of a sine or cosine, 64 pairs, base 10000' textcolor rgb 'black'
set xlabel 'position'
set ylabel 'largest error'
set logscale x 2
set logscale y 10
set xrange [1:2**40]
set yrange [1e-17:10]
set xtics ('1' 1, '2^{10}' 2**10, '2^{17} = 131072' 2**17, '2^{24}' 2**24, '2^{30}' 2**30, '2^{40}' 2**40)
set format y '10^{%T}'
set grid linetype 1 linecolor rgb '#cccccc'
set key outside right top vertical reverse Left
set tics nomirror
plot data using 1:2 with lines linewidth 2 linecolor rgb '#d55e00' title 'angle in float', \
     data using 1:3 with lines linewidth 2 linecolor rgb '#e69f00' title 'angle in double', \
     data using 1:4 with lines linewidth 3 linecolor rgb '#0072b2' title 'posenc float', \
     data using 1:5 with lines linewidth 3 linecolor rgb '#009e73' title 'posenc double'
