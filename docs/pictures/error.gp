# Beyond the chapter: the error against the position. Given: data, svg.
width = 1050; height = 560
load 'style.gp'
set title 'The largest error of a sine or cosine at position p: 64 pairs, base 10000'
set xlabel 'position p, tokens'
set ylabel 'largest error'
set logscale x 2
set logscale y 10
set xrange [1:2**40]
set yrange [1e-17:10]
set xtics ('1' 1, '2^{10}' 2**10, '2^{17}' 2**17, '2^{24}' 2**24, '2^{30}' 2**30, '2^{40}' 2**40)
set format y '10^{%T}'
unset mytics
set rmargin 25
set key off
set label 'angle formed in float' at 2**40,2 left offset 1,0 textcolor rgb orange
set label 'angle formed in double' at 2**40,6e-5 left offset 1,0 textcolor rgb purple
set label "posenc in float:\npromised 1.5·10^{-7}" at 2**40,1.5e-7 left offset 1,0.5 textcolor rgb blue
set label "posenc in double:\npromised 5·10^{-16}" at 2**40,5e-16 left offset 1,0.5 textcolor rgb green
plot data using 1:2 with linespoints linecolor rgb orange pointtype 7 pointsize 0.35, \
     data using 1:3 with linespoints linecolor rgb purple pointtype 5 pointsize 0.35, \
     data using 1:4 with lines linecolor rgb blue linewidth 3 dashtype 2, \
     data using 1:5 with lines linecolor rgb green linewidth 3 dashtype 2
