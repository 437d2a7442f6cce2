# How many cases were skipped, and why, from the log that ctest leaves.
#   awk -f skipped.awk build/check/Testing/Temporary/LastTest.log
#
# A case says why in a line `skipped: REASON`, and then calls cmocka's skip(); a script says so and exits with 77
# (SKIP_RETURN_CODE). Exit code 1 if a case was skipped and did not say why.

/^[0-9]+\/[0-9]+ Test: / { test = $3; said = skipped = 0 }
/^skipped: / {
  said++
  reason = /shared\/data/ ? "for want of ../shared/data" : substr($0, 10) # whichever file of it
  if (!count[reason]++)
    reasons[++kinds] = reason
}
/^\[  SKIPPED \] [0-9]+ test\(s\)/ { skipped = $4 } # cmocka's sum
/^Test Skipped\.$/ { skipped = 1 }
/^".*" end time: / {
  cases += skipped > said ? skipped : said
  if (skipped > said)
    silent[test] = skipped - said
}

END {
  printf "%s skipped%s\n", cases == 1 ? "1 case" : cases + 0 " cases", cases ? ":" : ""
  for (i = 1; i <= kinds; i++)
    printf "%5d %s\n", count[reasons[i]], reasons[i]
  for (test in silent) {
    printf "%5d in %s without a reason: it must print a line \"skipped: REASON\"\n", silent[test], test
    failed = 1
  }
  exit failed
}
