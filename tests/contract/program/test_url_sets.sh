#!/bin/sh
# strata replay and strata generate-urls, from outside: what is read of a list and of each format, the verdicts of an
# exact filter, which are never wrong, and URLs that are the same on every machine.
#   test_url_sets.sh STRATA SAMPLES
set -eu
strata=$1
samples=$2
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
status=0

is() # WHAT WANTED GOT
{
  [ "$2" = "$3" ] || { printf '%s: "%s", not "%s"\n' "$1" "$3" "$2"; status=1; }
}

replay() # OPTION... FILE
{
  "$strata" replay --filters exact --n 3 --queries 1000 --out "$made/out" "$@" 2>"$made/said"
}

says() # WHAT SENTENCE: said once
{
  is "$1: $2" 1 "$(grep -caF "$2" "$made/said")"
}

# A page twice with both schemes, once by CR LF; a byte order mark; no scheme; no line feed at the end.
printf '\357\273\277http://a.example/x\nhttps://a.example/x\r\nhttp://a.example/x\nhttps://a.example/x\n\n%s' \
  'mailto:x
http://b.example/y/z
http://c.example/1?q=2
d.example/u/v/w' >"$made/list"
replay "$made/list"
says list 'list: 7 URLs, 1 bad row'
says list 'list: line 6 is not an http or https URL'
says list ': 1 of 4 URLs came with both schemes'
is 'wrong answers of an exact filter' '' "$(awk -F, 'NR > 1 && ($7 != 0 || $9 != 0)' "$made/out/results.csv")"
is 'fresh URLs' 1 "$(awk -F, '$1 == "fresh" {print $6}' "$made/out/results.csv")"

while read -r file rows; do
  replay --protocol stream "$samples/$file"
  says "$file" "$file: $rows"
done <<'END'
SogouQ2008.gb18030.txt 6 URLs, 0 bad rows
SogouQ2012.gb18030.txt 6 URLs, 0 bad rows
crawl.log 4 URLs, 0 bad rows
index.cdx 4 URLs, 0 bad rows
index.cdxj 4 URLs, 0 bad rows
news_sohusite_xml.dat 4 URLs, 0 bad rows
pages.001 4 URLs, 0 bad rows
plain.txt 5 URLs, 1 bad row
END
replay --protocol stream --ids "$samples/id2url.link" "$samples/SogouT-link"
says SogouT-link 'SogouT-link: 10 URLs, 1 bad row'

"$strata" generate-urls --n 1000 --seed 1 >"$made/urls"
is 'different URLs' 1000 "$(sort -u "$made/urls" | wc -l)"
is 'the same bytes everywhere' 9673827879e1d8909e6cdf80429713891301bdbced896805c7e0d316ae15eedc \
  "$(sha256sum <"$made/urls" | cut -d ' ' -f 1)"
exit $status
