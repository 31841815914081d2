# What all pictures share. Given: svg, the file to draw; width and height.
set terminal svg size width,height background rgb '#ffffff' font 'sans-serif,14' rounded enhanced
set output svg
set encoding utf8

# The colours of Okabe and Ito, which the colour-blind tell apart too. Each also has its own dash or mark.
blue = '#0072b2'; orange = '#d55e00'; green = '#009e73'; purple = '#aa4499'; grey = '#777777'; ink = '#222222'
set linetype 1 linecolor rgb blue   linewidth 2.5
set linetype 2 linecolor rgb orange linewidth 2.5
set linetype 3 linecolor rgb green  linewidth 2.5
set linetype 4 linecolor rgb purple linewidth 2.5
array colour[4] = [blue, orange, green, purple]

set border 3 linecolor rgb ink linewidth 1
set tics nomirror textcolor rgb ink
set grid linetype 1 linecolor rgb '#e4e4e4' linewidth 1
set key textcolor rgb ink samplen 2.5
set title textcolor rgb ink font ',16'
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set samples 200
