# Who reads what of the handle: awk -f handle_fields.awk STATE.H STATE.H FILE... (tests/house/test_handle_fields.sh)
#
# 1. A file names ten fields of struct frontier at most.
# 2. What is in a part (the fields behind the line "Parts:") only its files read, which its comment names, up to a
#    colon: no other file says f->part.member, or has a pointer to such a part and follows it. Of a part that is a
#    pointer itself no other file speaks at all.
# 3. No header includes itself, by whatever way.
#
# A handle is whatever some file declares as a frontier: "frontier *f", "const frontier *from", "frontier view".

function base(path) { sub(/.*\//, "", path); sub(/\.[ch]$/, "", path); return path }
function bare(line) { gsub(/\/\*[^*]*\*\//, "", line); sub(/\/\*.*/, "", line); return line }
function broken(what) { print what; faults++ }

# One line of the struct, such as "queues queues;  /* queue */" or "uint64_t done, failed;".
function take_fields(line,    comment, names, type, opaque, i, n) {
  comment = line
  if (!sub(/.*\/\* */, "", comment)) comment = ""
  sub(/ *(:|\*\/).*/, "", comment)
  line = bare(line)
  if (line !~ /;/) return
  sub(/;.*/, "", line)
  gsub(/\[[^]]*\]/, "", line)
  type = line
  sub(/ [* ]*[a-z_]+(, .*)?$/, "", type)
  sub(/.* /, "", type)
  n = split(line, names, ",")
  for (i = 1; i <= n; i++) {
    opaque = names[i] ~ /\*/
    sub(/.*[ *]/, "", names[i])
    is_pointer[names[i]] = opaque
    is_field[names[i]] = 1
    fields++
    if (!in_parts) continue
    owners[names[i]] = " " comment " "
    gsub(/,/, " ", owners[names[i]])
    type_of[names[i]] = type
    parts++
  }
}

function is_owner(file, field) { return index(owners[field], " " base(file) " ") > 0 }

FNR == 1 { pass[FILENAME]++ }
FILENAME == ARGV[1] && pass[FILENAME] == 1 {
  if (/^struct frontier \{/) in_struct = 1
  else if (/^};/) in_struct = in_parts = 0
  else if (in_struct && /Parts:/) in_parts = 1
  else if (in_struct) take_fields($0)
  next
}

{
  text[FILENAME, FNR] = bare($0)
  lines[FILENAME] = FNR
  rest = $0
  while (match(rest, /(^|[^a-z_])frontier [* ]*[a-z_]+/)) {
    name = substr(rest, RSTART, RLENGTH)
    sub(/.*[ *]/, "", name)
    is_handle[name] = 1
    rest = substr(rest, RSTART + RLENGTH)
  }
}
/^#include "/ {
  name = $2
  gsub(/"/, "", name)
  if (FILENAME ~ /\.h$/) includes[base(FILENAME)] = includes[base(FILENAME)] " " base(name)
}

# What follows handle names in one line.
function read_line(file, i,    rest, word, handle, field, next_at) {
  rest = text[file, i]
  while (match(rest, /[a-z_]+(->|\.)[a-z_]+/)) {
    word = substr(rest, RSTART, RLENGTH)
    handle = word; sub(/(->|\.).*/, "", handle)
    field = word; sub(/.*(->|\.)/, "", field)
    next_at = RSTART + RLENGTH
    if (is_handle[handle] && is_field[field]) {
      if (!((file, field) in touched)) count[file]++
      touched[file, field] = 1
      if (field in owners && !is_owner(file, field) && (is_pointer[field] || substr(rest, next_at) ~ /^(\.|->)/))
        broken(file ":" i ": " field " is private to" owners[field])
    }
    rest = substr(rest, RSTART + length(handle))
  }
}

function read_pointers(file, field,    i, name, follows) {
  for (i = 1; i <= lines[file]; i++)
    if (match(text[file, i], "(^|[ (])" type_of[field] " \\*[a-z_]+ = &")) {
      name = substr(text[file, i], RSTART, RLENGTH)
      sub(/ = &/, "", name); sub(/.*\*/, "", name)
      follows = "(^|[^a-z_>.])" name "->"
      while (++i <= lines[file] && text[file, i] !~ /^}/)
        if (text[file, i] ~ follows) broken(file ":" i ": " field " is private to" owners[field])
    }
}

function find_circle(header, way,    list, i, n) {
  if (state[header] == 2) return
  if (state[header] == 1) { broken("a circle of headers:" way " " header); return }
  state[header] = 1
  n = split(includes[header], list, " ")
  for (i = 1; i <= n; i++) find_circle(list[i], way " " header)
  state[header] = 2
}

END {
  for (file in lines) {
    for (i = 1; i <= lines[file]; i++) read_line(file, i)
    for (field in owners) if (!is_owner(file, field)) read_pointers(file, field)
    if (file ~ /\.h$/) find_circle(base(file), "")
    if (count[file] > most) { most = count[file]; where = file }
    if (count[file] > 10) broken(file ": names " count[file] " fields of the handle, 10 are enough")
    files += count[file] > 0
  }
  printf "the handle has %d fields, %d of them parts; %d files name some, %s the most: %d\n", fields, parts, files,
    base(where), most
  exit faults > 0 || !parts || !files
}
