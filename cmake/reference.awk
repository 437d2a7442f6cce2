# One man page (section 3, mdoc) for each function and each type that a public header declares, and one for the header:
# made from its comments, so that they cannot say different things.
#   awk -f reference.awk -v header=frontier/frontier.h -v out=DIRECTORY -v date="November 20, 2026" HEADER
#
# What it relies on (tests/house/test_reference.sh notices when it does not hold): the first comment is the header's. A
# comment that begins a line belongs to the declarations below it up to the next empty line; one behind a declaration
# to that one. "---- words ----" divides sections and belongs to no declaration.

function trim(text) { sub(/^[ \t]+/, "", text); sub(/[ \t]+$/, "", text); return text }

# The words of a comment's line. What is indented by four or more is a drawing and keeps its spaces.
function words_of(line)
{
  sub(/^\/\*/, "", line); sub(/^ ?\*($|[^\/])/, " ", line); sub(/[ \t]*\*\/[ \t]*$/, "", line); sub(/^ /, "", line)
  sub(/^\*\/$/, "", line)
  return line
}

function add_type(line) { types = types line "\n"; code_of_type[type] = code_of_type[type] line "\n" }

# The name that a typedef gives, "" for an enum without one.
function begin_type(line)
{
  type = line
  if (!sub(/^typedef (struct|enum) /, "", type)) {
    sub(/^enum.*/, "", type); sub(/[(;].*/, "", type); sub(/.*[ *]/, "", type)
  }
  sub(/[ ;].*/, "", type)
  if (type == "") return
  type_names[++type_count] = type
  group_of_type[type] = group
}

function finish_declaration(    name)
{
  name = declaration
  sub(/\(.*/, "", name); sub(/.*[ *]/, "", name)
  if (name in group_of)
    return # declared above; this is its inline definition
  names[++count] = name
  sub(/^static inline /, "", declaration)
  group_of[name] = group
  code_of[name] = declaration
  said_of[name] = trailing
  members[group] = members[group] " " name
}

function take(line)
{
  if (line ~ /\{[ \t]*$/ && declaration line ~ /\(/ || line ~ /^\{/) {
    skipping = 1
    declaring = 0
    finish_declaration()
    return
  }
  if (match(line, /;/)) {
    rest = substr(line, RSTART + 1)
    declaration = declaration (declaration == "" ? "" : "\n") substr(line, 1, RSTART)
    declaring = 0
    trailing = ""
    if (rest ~ /\/\*/) {
      behind = rest !~ /\*\//
      trailing = words_of(trim(rest)) "\n"
    }
    if (behind) return
    finish_declaration()
  } else
    declaration = declaration (declaration == "" ? "" : "\n") line
}

skipping { if ($0 ~ /^}/) skipping = 0; next }
behind { # a comment behind a declaration goes on
  trailing = trailing trim(words_of(trim($0))) "\n"
  if ($0 ~ /\*\//) { behind = 0; finish_declaration() }
  next
}
in_comment {
  text = text words_of($0) "\n"
  raw = raw $0 "\n"
  if ($0 ~ /\*\//) { in_comment = 0; end_comment() }
  next
}
in_type { add_type($0); if (has_body ? $0 ~ /^}/ : $0 ~ /;/) { in_type = 0; add_type("") }; next }
declaring { take($0); next }
/^\/\* ----/ { group++; next }
/^\/\*/ {
  if (members[group] != "") group++ # it belongs to what comes below
  text = words_of($0) "\n"
  raw = $0 "\n"
  if ($0 ~ /\*\//) end_comment(); else in_comment = 1
  next
}
/^$/ { group++; next }
/^#/ || /^}/ || /^extern/ { next }
/^typedef/ || /^enum/ { begin_type($0); types = types raw_of[group]; add_type($0); raw_of[group] = ""
  has_body = $0 ~ /\{/
  if ($0 !~ /;/) in_type = 1; else add_type(""); next }
/^[a-z]/ { declaration = ""; declaring = 1; take($0) }

function flat(text) { gsub(/\n/, " ", text); return text }

function end_comment()
{
  if (overview == "") { overview = text; return }
  comment_of[group] = comment_of[group] text
  raw_of[group] = raw
}

# ---- pages ----

function escape(line)
{
  gsub(/\\/, "\\e", line)
  if (line ~ /^[.']/) line = "\\&" line
  return line
}

# mdoc wants each sentence on a line of its own.
function print_sentences(line, file)
{
  while (match(line, /[.?!][)"]* /)) {
    print escape(substr(line, 1, RSTART + RLENGTH - 2)) > file
    line = substr(line, RSTART + RLENGTH)
  }
  print escape(line) > file
}

# By name, as mdoc wants them.
function print_references(list, file,    n, i, j, name, sorted)
{
  n = split(list, sorted, " ")
  for (i = 2; i <= n; i++) {
    name = sorted[i]
    for (j = i; j > 1 && sorted[j - 1] > name; j--) sorted[j] = sorted[j - 1]
    sorted[j] = name
  }
  for (i = 1; i <= n; i++) print ".Xr " sorted[i] " 3" (i < n ? " ," : "") > file
}

function print_text(text, file,    n, i, lines, literal, empty)
{
  n = split(text, lines, "\n")
  literal = 0; empty = 1
  for (i = 1; i <= n; i++) {
    if (lines[i] ~ /^ *$/) {
      if (!empty && !literal && i < n) pending = 1
      else if (literal) held = held "\n"
      continue
    }
    if (lines[i] ~ /^    / && !literal) { print ".Bd -literal" > file; literal = 1; pending = 0; held = "" }
    if (lines[i] !~ /^ / && literal) { print ".Ed" > file; literal = 0; print ".Pp" > file; held = "" }
    if (literal) { printf "%s", held > file; held = "" }
    if (pending) { print ".Pp" > file; pending = 0 }
    if (literal) print escape(lines[i]) > file
    else print_sentences(trim(lines[i]), file)
    empty = 0
  }
  if (literal) print ".Ed" > file
  pending = 0; held = ""
}

function print_code(code, file,    n, i, lines)
{
  n = split(code, lines, "\n")
  for (i = 1; i <= n; i++) print escape(lines[i]) > file
}

# Up to the first end of a sentence, for the line that apropos shows.
function first_sentence(text)
{
  text = trim(flat(text))
  if (match(text, /[.:;]( |$)/)) text = substr(text, 1, RSTART - 1)
  gsub(/`/, "", text)
  return escape(text)
}

# How programs get at it.
function print_library(file,    room)
{
  room = header
  sub(/\/.*/, "", room)
  print ".Sh LIBRARY\nlib" room ": link with the output of\n.Ql pkg-config --cflags --libs strata-" room > file
  print "or, in CMake, with strata::" room "." > file
}

# The sentences of a text that match.
function sentences_with(text, pattern,    found, one)
{
  text = flat(text) " "
  gsub(/  +/, " ", text)
  while (match(text, /[.?!][)"]* /)) {
    one = trim(substr(text, 1, RSTART + RLENGTH - 1))
    text = substr(text, RSTART + RLENGTH)
    if (one ~ pattern) found = found (found == "" ? "" : " ") one
  }
  if (trim(text) ~ pattern) found = found (found == "" ? "" : " ") trim(text)
  return found
}

# What the type of the result says, and the sentences of the text that say more.
function print_result(name, text, file,    result, more)
{
  result = code_of[name]
  sub(name "\\(.*", "", result)
  result = trim(flat(result))
  print ".Sh RETURN VALUES" > file
  if (result == "void") { print "None." > file; return }
  if (result ~ /_status$/) {
    print (result ~ /^url/ ? "URL" : result ~ /^mlbf/ ? "MLBF" : "FRONTIER") "_OK, or another value of" > file
    print ".Xr " result " 3 ." > file
    more = sentences_with(text, STATUSES)
  } else if (result == "bool") {
    print "True or false." > file
    more = sentences_with(text, "(^|[^a-z])([Tt]rue|[Ff]alse)([^a-z]|$)")
  } else if (result ~ /\*$/) {
    print "A pointer of type " result "." > file
    more = sentences_with(text, "NULL|valid")
  } else
    print "A value of type " result "." > file
  if (more != "") print_text(more, file)
}

# The types of these headers that a declaration names, each with a blank before it.
function types_in(code,    found, one)
{
  code = flat(code)
  while (match(code, /(frontier|mlbf|url)_[a-z0-9_]+ \**[a-z]/)) {
    one = substr(code, RSTART, RLENGTH)
    code = substr(code, RSTART + RLENGTH)
    sub(/ .*/, "", one)
    if (index(found " ", " " one " ") == 0) found = found " " one
  }
  return found
}

function print_head(file, title, what)
{
  print ".\\\" Made from " header " by cmake/reference.awk." > file
  print ".Dd " date "\n.Dt " toupper(title) " 3\n.Os\n.Sh NAME\n.Nm " title "\n.Nd " what > file
}

function function_page(name,    file, text, mates)
{
  text = said_of[name] (said_of[name] != "" && comment_of[group_of[name]] != "" ? "\n" : "") comment_of[group_of[name]]
  if (trim(flat(text)) == "") return # tests/house/test_reference.sh says which
  file = out "/" name ".3"
  print_head(file, name, first_sentence(text))
  print_library(file)
  print ".Sh SYNOPSIS\n.In " header "\n.Bd -literal" > file
  print_code(code_of[name], file)
  print ".Ed\n.Sh DESCRIPTION" > file
  print_text(text, file)
  print_result(name, text, file)
  print ".Sh SEE ALSO" > file
  mates = members[group_of[name]] " "
  sub(" " name " ", " ", mates)
  print_references(mates types_in(code_of[name]) " " overview_name, file)
  close(file)
}

function type_page(name,    file, text, i, users)
{
  text = comment_of[group_of_type[name]]
  file = out "/" name ".3"
  print_head(file, name, trim(flat(text)) == "" ? "a type of " header : first_sentence(text))
  print_library(file)
  print ".Sh SYNOPSIS\n.In " header "\n.Bd -literal" > file
  print_code(code_of_type[name], file)
  print ".Ed\n.Sh DESCRIPTION" > file
  if (trim(flat(text)) == "") print "The comments above, and the functions below, say what it is for." > file
  else print_text(text, file)
  for (i = 1; i <= count; i++)
    if (flat(code_of[names[i]]) ~ "(^|[^a-z0-9_])" name "[^a-z0-9_]") users = users " " names[i]
  print ".Sh SEE ALSO" > file
  print_references(users " " overview_name, file)
  close(file)
}

END {
  STATUSES = "(^|[^A-Z])(OK|NOT_FOUND|NOT_OURS|VERSION|BUSY|MISMATCH|BAD_ARGUMENT|DAMAGED|NO_SPACE|NO_MEMORY|IO|" \
    "FULL|NOT_A_FILTER|SECRET|TOO_LONG|[Ff]ailure|[Ff]ails)([^A-Z_]|$)"
  overview_name = "strata-" header
  gsub(/\//, "-", overview_name); sub(/\.h$/, "", overview_name)
  file = out "/" overview_name ".3"
  what = overview
  sub(/^[ \n]*[a-z_\/]*\.h: /, "", what)
  print_head(file, overview_name, first_sentence(what))
  print_library(file)
  print ".Sh SYNOPSIS\n.In " header "\n.Sh DESCRIPTION" > file
  print_text(what, file)
  if (types != "") {
    print ".Sh TYPES\n.Bd -literal" > file
    sub(/\n+$/, "\n", types)
    print_code(types, file)
    print ".Ed" > file
  }
  print ".Sh FUNCTIONS" > file
  for (i = 1; i <= count; i++) all = all " " names[i]
  for (i = 1; i <= type_count; i++) all = all " " type_names[i]
  print_references(all, file)
  close(file)
  for (i = 1; i <= count; i++) function_page(names[i])
  for (i = 1; i <= type_count; i++) type_page(type_names[i])
}
