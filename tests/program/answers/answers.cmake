# What servers really answer: one test for each case file, a line here.
function(strata_answers kind)
  add_test(NAME answers_${kind} COMMAND python3 ${CMAKE_CURRENT_SOURCE_DIR}/program/answers/answers.py
    $<TARGET_FILE:strata> ${CMAKE_CURRENT_SOURCE_DIR}/program/answers/${kind}.py)
  set_tests_properties(answers_${kind} PROPERTIES TIMEOUT 300)
endfunction()
strata_answers(redirects)
strata_answers(idle)
strata_answers(cookies)
strata_answers(fields)
strata_answers(again)
strata_answers(types)
strata_answers(markup)
strata_answers(archives)
