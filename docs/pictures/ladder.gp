# Sections 7 and 8: the frequency ladder and its waves. Given: data, svg.
width = 1120; height = 600
load 'style.gp'
set multiplot
set tmargin at screen 0.90
set bmargin at screen 0.12
set lmargin at screen 0.085
set rmargin at screen 0.42
set title 'The ladder: ω_k = 10000^{-2k/d}, d = 64'
set xlabel 'pair index k'
set ylabel 'frequency ω_k, radians per token'
set y2label 'period 2π/ω_k, tokens' textcolor rgb ink offset -2.5,0
set logscale y 10
set logscale y2 10
set xrange [-1:32]
set yrange [5e-5:2]
set y2range [2*pi/5e-5:2*pi/2]
set xtics 8
set ytics format '10^{%T}'
unset mytics
set y2tics ('6.28' 2*pi, '62.8' 20*pi, '628' 200*pi, '6 283' 2000*pi, '62 832' 20000*pi)
set border 11
unset key
plot data index 0 using 1:2 with points pointtype 7 pointsize 0.55 linecolor rgb grey, \
     for [i=0:3] data index 0 using 1:2 every ::(8*i)::(8*i) with points linetype i+1 pointtype 7 pointsize 1.2, \
     for [i=0:3] data index 0 using ($1+1):($2*1.25):(sprintf('k = %d', $1)) every ::(8*i)::(8*i) \
       with labels left textcolor rgb colour[i+1]

# The waves of the four coloured pairs, one below the other.
unset logscale
unset y2tics
unset y2label
unset ylabel
unset xlabel
set border 3
set lmargin at screen 0.56
set rmargin at screen 0.975
set xrange [0:50]
set yrange [-1.15:1.15]
set ytics -1,1,1 format '%g'
set xtics 10 format ''
array period[4] = ['6.28', '62.8', '628', '6 283']
set title 'Four of its waves: sine solid, cosine dashed' offset 0,0.9
do for [i=0:3] {
  set tmargin at screen 0.875-0.2*i
  set bmargin at screen 0.72-0.2*i
  if (i == 1) { unset title }
  if (i == 3) {
    set xtics format '%g'
    set xlabel 'position p, tokens'
  }
  set label 1 sprintf('k = %d: once around in %s tokens', 8*i, period[i+1]) at graph 0,1.14 left \
    textcolor rgb colour[i+1]
  plot data index 1 using 1:2*i+3 with lines linetype i+1 linewidth 1.3 dashtype 2, \
       data index 1 using 1:2*i+2 with lines linetype i+1
}
unset multiplot
