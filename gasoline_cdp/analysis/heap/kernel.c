/* The loops over every character, node and edge of a heap snapshot.
 *
 * native.py calls these functions through ctypes; fallback.py says the same in Python, and the tests compare the two.
 * Nothing here allocates what it returns: the caller passes arrays, and says how long they are. Indices that come from
 * a file are checked once, in parse_rows and check_edges; the functions after them rely on that.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

#ifndef SOURCE_HASH
#define SOURCE_HASH ""
#endif

/* Which source this was compiled from: native.py refuses a library that was made from another one. */
EXPORT const char *source_hash(void) { return SOURCE_HASH; }

enum { OK = 0, NO_MEMORY = -1 };

/* --- numbers ----------------------------------------------------------------------------------------------------- */

enum { FIELDS = 16 };
enum store { SKIP, BYTE, WORD, QUOTIENT, LONG };
enum expects { FIRST, VALUE, DIGIT, DIGITS, SEPARATOR, CLOSED };
enum problem { FINE, FULL, SYNTAX, RANGE, TOO_LONG };

/* An array of numbers that is being read, row by row, into one column per field. Its text may come in any pieces. */
typedef struct {
    int64_t rows, capacity;   /* complete rows, and how many fit */
    int64_t fields, field;    /* fields of a row, and the one that comes next */
    int64_t expects, problem; /* enum expects, enum problem */
    int64_t value, negative;  /* the number that is being read */
    int64_t divisor;          /* of the fields stored as QUOTIENT */
    int64_t reciprocal;       /* 2**34 by the divisor, rounded up */
    int64_t store[FIELDS];    /* enum store */
    int64_t least[FIELDS], most[FIELDS];
    void *column[FIELDS];
} Rows;

/* The number is complete: store it. 0 if it may not be there. */
static inline int put(Rows *rows, int64_t value) {
    const int64_t field = rows->field, row = rows->rows;
    if (row >= rows->capacity) {
        rows->problem = FULL;
        return 0;
    }
    if (value < rows->least[field] || value > rows->most[field]) {
        rows->problem = RANGE;
        rows->value = value;
        return 0;
    }
    switch (rows->store[field]) {
    case BYTE: ((uint8_t *)rows->column[field])[row] = (uint8_t)value; break;
    case WORD: ((uint32_t *)rows->column[field])[row] = (uint32_t)value; break;
    case LONG: ((int64_t *)rows->column[field])[row] = value; break;
    case QUOTIENT: {
        /* Exact for multiples, and all others are refused: the divisor is at least 5 and at most FIELDS. */
        const uint32_t quotient = (uint32_t)((uint64_t)value * (uint64_t)rows->reciprocal >> 34);
        if ((int64_t)quotient * rows->divisor != value) {
            rows->problem = RANGE;
            rows->value = value;
            return 0;
        }
        ((uint32_t *)rows->column[field])[row] = quotient;
        break;
    }
    default: break;
    }
    if (field + 1 == rows->fields) {
        rows->field = 0;
        rows->rows = row + 1;
    } else {
        rows->field = field + 1;
    }
    return 1;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define WHOLE_NUMBERS 1
/* A number of V8's and what stands behind it, at most. */
enum { NUMBER_BYTES = 16 };

/* The number of the last `digits` of eight characters, which are digits. */
static inline uint64_t number_of(uint64_t bytes, int digits) {
    bytes = (bytes ^ 0x3030303030303030u) & ~UINT64_C(0) << (64 - 8 * digits);
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00ff00ff00ff00ffu;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000ffff0000ffffu;
    return (bytes * 10000 + (bytes >> 32)) & 0xffffffffu;
}

/* A number of up to ten digits and the comma behind it; returns how long they are, 0 if it is something else. */
static inline int read_number(const uint8_t *at, uint64_t *value) {
    uint64_t bytes, other;
    int digits = 8;
    memcpy(&bytes, at, 8);
    other = bytes ^ 0x3030303030303030u;
    other = (((other & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | other) & 0x8080808080808080u;
    if (other) {
        digits = __builtin_ctzll(other) >> 3;
        if (!digits) return 0;
        bytes <<= 64 - 8 * digits;
    }
    *value = number_of(bytes, digits);
    if (!other)
        for (; digits < 10 && at[digits] >= '0' && at[digits] <= '9'; digits++) *value = *value * 10 + (at[digits] - '0');
    if (at[digits] == ',') return digits + 1;
    /* Node ends its rows with a line break. */
    return at[digits] == '\n' && at[digits + 1] == ',' ? digits + 2 : 0;
}
#endif

/* Reads from text[start:length]; returns where it stopped: at the end, behind the closing bracket, or at a problem.
 * A number that does not fit (FULL) was not stored: after growing, the caller goes on from the returned position, and
 * the number is still in rows->value with SEPARATOR expected. */
EXPORT int64_t parse_rows(const uint8_t *text, int64_t start, int64_t length, Rows *rows) {
    const uint8_t *at = text + start, *end = text + length;
    while (at < end && rows->expects != CLOSED) {
#ifdef WHOLE_NUMBERS
        while ((rows->expects == VALUE || rows->expects == FIRST) && end - at >= NUMBER_BYTES) {
            uint64_t value;
            const int size = read_number(at, &value);
            if (!size) break;
            if (!put(rows, (int64_t)value)) {
                if (rows->problem == FULL) {
                    rows->value = (int64_t)value;
                    rows->negative = 0;
                    rows->expects = SEPARATOR;
                    at += size - 1;
                }
                return at - text;
            }
            rows->expects = VALUE;
            at += size;
        }
        if (at >= end) break;
#endif
        const uint8_t c = *at;
        const int blank = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        switch (rows->expects) {
        case FIRST:
        case VALUE:
        case DIGIT:
            if (c >= '0' && c <= '9') {
                rows->value = c - '0';
                if (rows->expects != DIGIT) rows->negative = 0;
                rows->expects = DIGITS;
            } else if (c == '-' && rows->expects != DIGIT) {
                rows->negative = 1;
                rows->expects = DIGIT;
            } else if (c == ']' && rows->expects == FIRST) {
                rows->expects = CLOSED;
            } else if (!blank || rows->expects == DIGIT) {
                rows->problem = SYNTAX;
                return at - text;
            }
            break;
        case DIGITS:
            if (c >= '0' && c <= '9') {
                rows->value = rows->value * 10 + (c - '0');
                if (rows->value > INT64_C(9007199254740991)) {
                    rows->problem = TOO_LONG;
                    return at - text;
                }
                break;
            }
            if (!blank && c != ',' && c != ']') {
                rows->problem = SYNTAX;
                return at - text;
            }
            if (rows->negative) rows->value = -rows->value;
            rows->negative = 0;
            if (!put(rows, rows->value)) {
                if (rows->problem == FULL) rows->expects = SEPARATOR;
                return at - text;
            }
            rows->expects = SEPARATOR;
            continue; /* the same character again */
        case SEPARATOR:
            if (c == ',') {
                rows->expects = VALUE;
            } else if (c == ']') {
                rows->expects = CLOSED;
            } else if (!blank) {
                rows->problem = SYNTAX;
                return at - text;
            }
            break;
        default: break;
        }
        at++;
    }
    return at - text;
}

/* After FULL and more room: store the number that had none. */
EXPORT int32_t resume_rows(Rows *rows) {
    rows->problem = FINE;
    return put(rows, rows->value);
}

/* --- strings ----------------------------------------------------------------------------------------------------- */

enum quote { BEFORE_FIRST, BEFORE, INSIDE, ESCAPED, HEX, AFTER, ENDED };

typedef struct {
    int64_t state, problem, hex;     /* enum quote, enum problem, hexadecimal digits still to come */
    int64_t bytes, byte_capacity;    /* of all strings, without quotes; escapes stay as they are */
    int64_t strings, string_capacity;
    uint8_t *text;
    uint32_t *ends;                  /* where each string ends; it begins where the one before ends */
} Strings;

/* Reads from text[start:length]; returns where it stopped: at the end, behind the closing bracket, or at a problem.
 * FULL: there is no room; the caller makes some and goes on from there. */
EXPORT int64_t parse_strings(const uint8_t *text, int64_t start, int64_t length, Strings *strings) {
    int64_t at = start;
    while (at < length && strings->state != ENDED) {
        const uint8_t c = text[at];
        if (strings->state == INSIDE) {
            int64_t stop = at;
            while (stop < length && text[stop] != '"' && text[stop] != '\\') stop++;
            if (strings->bytes + (stop - at) + 1 > strings->byte_capacity ||
                strings->strings >= strings->string_capacity) {
                strings->problem = FULL;
                return at;
            }
            memcpy(strings->text + strings->bytes, text + at, (size_t)(stop - at));
            strings->bytes += stop - at;
            at = stop;
            if (at == length) break;
            if (text[at] == '"') {
                strings->ends[strings->strings++] = (uint32_t)strings->bytes;
                strings->state = AFTER;
            } else {
                strings->text[strings->bytes++] = '\\';
                strings->state = ESCAPED;
            }
            at++;
            continue;
        }
        if (strings->state == ESCAPED || strings->state == HEX) {
            if (strings->bytes >= strings->byte_capacity) {
                strings->problem = FULL;
                return at;
            }
            if (strings->state == ESCAPED) {
                if (c == 'u') {
                    strings->hex = 4;
                    strings->state = HEX;
                } else if (c != 0 && strchr("\"\\/bfnrt", c)) {
                    strings->state = INSIDE;
                } else {
                    strings->problem = SYNTAX;
                    return at;
                }
            } else {
                if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) {
                    strings->problem = SYNTAX;
                    return at;
                }
                if (--strings->hex == 0) strings->state = INSIDE;
            }
            strings->text[strings->bytes++] = c;
            at++;
            continue;
        }
        if (c == '"' && strings->state != AFTER) {
            strings->state = INSIDE;
        } else if (c == ',' && strings->state == AFTER) {
            strings->state = BEFORE;
        } else if (c == ']' && strings->state != BEFORE) {
            strings->state = ENDED;
        } else if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            strings->problem = SYNTAX;
            return at;
        }
        at++;
    }
    return at;
}

/* Back over digits: where they begin. */
static int64_t before_digits(const uint8_t *text, int64_t begin, int64_t at) {
    while (at > begin && text[at - 1] >= '0' && text[at - 1] <= '9') at--;
    return at;
}

/* Back over a text: where it begins, or -1 if it is not there. */
static int64_t before_text(const uint8_t *text, int64_t begin, int64_t at, const char *expected) {
    const int64_t length = (int64_t)strlen(expected);
    if (at - begin < length || memcmp(text + at - length, expected, (size_t)length)) return -1;
    return at - length;
}

/* Whether a line ends within: as an escape, or as one of the two signs that JavaScript also takes for one. */
static int breaks_line(const uint8_t *text, int64_t at, int64_t end) {
    for (; at < end; at++) {
        if (text[at] == '\\' && at + 1 < end) {
            at++;
            if (text[at] == 'n' || text[at] == 'r') return 1;
            if (text[at] == 'u' && end - at > 4 && !memcmp(text + at, "u202", 4) && (text[at + 4] | 1) == '9') return 1;
        } else if (text[at] == 0xe2 && end - at > 2 && text[at + 1] == 0x80 && (text[at + 2] | 1) == 0xa9) {
            return 1;
        }
    }
    return 0;
}

/* The strings that name halves of WeakMap entries, see weak_maps.py: pair[string] is the number of the entry, or -1;
 * table[string] the id of the table, or 0. `slots` is a power of two; its table has room for more than all that end
 * like such names. Returns how many entries there are. */
EXPORT int64_t find_weak_entries(const uint8_t *text, const uint32_t *ends, int64_t strings, int32_t *pair,
                                 uint32_t *table, uint32_t *seen, int64_t slots) {
    const uint32_t none = 0xffffffffu;
    int64_t entries = 0;
    memset(seen, 0xff, sizeof(uint32_t) * (size_t)slots);
    for (int64_t string = 0; string < strings; string++) {
        const int64_t begin = string ? ends[string - 1] : 0, end = ends[string];
        pair[string] = -1;
        table[string] = 0;
        if (end - begin < 60 || text[end - 1] != ')') continue;
        int64_t at = before_digits(text, begin, end - 1);
        const int64_t id = at;
        if (at == end - 1 || (at = before_text(text, begin, at, ") pair in WeakMap (table @")) < 0) continue;
        const int64_t value = at;
        at = before_digits(text, begin, at);
        if (at == value || (at = before_text(text, begin, at, " @")) < 0) continue;
        const int64_t middle_end = at;
        int64_t part = begin;
        while (part < middle_end && text[part] >= '0' && text[part] <= '9') part++;
        static const char opening[] = " / part of key (";
        static const char middle[] = ") -> value (";
        const int64_t opened = part + (int64_t)sizeof opening - 1;
        if (part == begin || opened > middle_end || memcmp(text + part, opening, sizeof opening - 1)) continue;
        int found = 0;
        for (at = opened; !found && at + (int64_t)sizeof middle - 1 <= middle_end; at++) {
            if (text[at] != ')' || memcmp(text + at, middle, sizeof middle - 1)) continue;
            const int64_t key = before_digits(text, opened, at);
            found = key < at && before_text(text, opened, key, " @") >= 0;
        }
        if (!found || breaks_line(text, begin, end)) continue;
        uint64_t of = 0;
        for (at = id; at < end - 1 && of <= none; at++) of = of * 10 + (text[at] - '0');
        table[string] = of <= none ? (uint32_t)of : 0;
        /* Eight characters at once: the last ones twice, where their number is no multiple. There are sixty at least. */
        uint64_t hash = 14695981039346656037u, characters;
        for (at = part; at < end; at += 8) {
            memcpy(&characters, text + (at + 8 <= end ? at : end - 8), 8);
            hash = (hash ^ characters) * 11400714819323198485u;
            hash ^= hash >> 32;
        }
        uint64_t slot = (hash ^ hash >> 31) & (uint64_t)(slots - 1);
        for (;; slot = (slot + 1) & (uint64_t)(slots - 1)) {
            if (seen[slot] == none) {
                seen[slot] = (uint32_t)string;
                pair[string] = (int32_t)entries++;
                break;
            }
            const int64_t other = seen[slot], other_end = ends[other];
            int64_t other_part = other ? ends[other - 1] : 0;
            while (text[other_part] >= '0' && text[other_part] <= '9') other_part++;
            if (other_end - other_part == end - part && !memcmp(text + part, text + other_part, (size_t)(end - part))) {
                pair[string] = pair[other];
                break;
            }
        }
    }
    return entries;
}

/* Dense numbers for codes, in the order of their first occurrence: number[i] of codes[i]; first[n] is where n first
 * stood. slots: a power of two, more than the codes. Returns how many there are. */
EXPORT int64_t number_codes(const uint64_t *codes, int64_t count, uint32_t *number, uint32_t *first, uint32_t *seen,
                            int64_t slots) {
    const uint32_t none = 0xffffffffu;
    int64_t numbers = 0;
    memset(seen, 0xff, sizeof(uint32_t) * (size_t)slots);
    for (int64_t i = 0; i < count; i++) {
        uint64_t slot = codes[i] * 11400714819323198485u;
        slot = (slot ^ slot >> 32) & (uint64_t)(slots - 1);
        while (seen[slot] != none && codes[first[seen[slot]]] != codes[i]) slot = (slot + 1) & (uint64_t)(slots - 1);
        if (seen[slot] == none) {
            seen[slot] = (uint32_t)numbers;
            first[numbers++] = (uint32_t)i;
        }
        number[i] = seen[slot];
    }
    return numbers;
}

/* --- the graph --------------------------------------------------------------------------------------------------- */

typedef struct {
    int64_t nodes, edges;
    const uint32_t *first_edge; /* nodes + 1 */
    const uint8_t *edge_type;
    const uint32_t *edge_name;
    const uint32_t *edge_to;
} Graph;

/* The first edge whose name is no string, or -1. named: for each type of edge, whether its name is a string. */
EXPORT int64_t check_edges(const Graph *graph, const uint8_t *named, int64_t strings) {
    for (int64_t edge = 0; edge < graph->edges; edge++)
        if (named[graph->edge_type[edge]] && graph->edge_name[edge] >= strings) return edge;
    return -1;
}

/* Spread a state over nodes that have none yet: from those in queue[0:queued] along edges whose type is open, to
 * nodes that may take it. `state` and `taken` of a node are set once. Returns OK; queue has room for all nodes. */
EXPORT int32_t spread(const Graph *graph, const uint8_t *open, const uint8_t *may, uint8_t *state, uint8_t value,
                      uint8_t *taken, uint32_t *queue, int64_t queued) {
    while (queued) {
        const uint32_t node = queue[--queued];
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            if (!open[graph->edge_type[edge]]) continue;
            const uint32_t to = graph->edge_to[edge];
            if (taken[to] || !may[to]) continue;
            taken[to] = 1;
            state[to] = value;
            queue[queued++] = to;
        }
    }
    return OK;
}

/* Who owns each node that owns itself no more: see graph.py. owner: the node itself, or UNSEEN for those that may be
 * owned. stack has room for twice the nodes. */
EXPORT void find_owners(const Graph *graph, uint8_t weak, uint32_t *owner, uint32_t *stack, int64_t height) {
    const uint32_t unseen = 0xffffffffu, several = 0xfffffffeu;
    while (height) {
        const uint32_t node = stack[--height], mine = owner[node];
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            if (graph->edge_type[edge] == weak) continue;
            const uint32_t to = graph->edge_to[edge], theirs = owner[to];
            if (theirs == unseen) owner[to] = mine;
            else if (theirs == to || theirs == mine || theirs == several) continue;
            else owner[to] = several;
            stack[height++] = to;
        }
    }
}

static inline int bit(const uint8_t *bits, uint32_t index) { return bits[index >> 3] >> (index & 7) & 1; }

/* Breadth first from queue[0:queued], whose distances are set; all others are NONE. pair: for each string, the number
 * of the WeakMap entry that an edge of this name is half of, or -1; only the second half that is met leads on.
 * blocked: bits of edges not to follow. */
EXPORT void spread_distances(const Graph *graph, uint8_t weak, uint8_t internal, const int32_t *pair, uint8_t *halves,
                             const uint8_t *blocked, int32_t none, int32_t *distance, uint32_t *queue, int64_t queued,
                             int64_t room) {
    for (int64_t head = 0; head < queued; head++) {
        const uint32_t node = queue[head];
        const int32_t next = distance[node] + 1;
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            const uint8_t type = graph->edge_type[edge];
            if (type == weak) continue;
            const uint32_t to = graph->edge_to[edge];
            if (distance[to] != none || (blocked && bit(blocked, edge))) continue;
            if (type == internal) {
                const int32_t half = pair[graph->edge_name[edge]];
                if (half >= 0) {
                    halves[half] ^= 1;
                    if (halves[half]) continue;
                }
            }
            distance[to] = next;
            if (queued < room) queue[queued++] = to;
        }
    }
}

/* Bits of the edges that keep something alive, as dominators see it. table: for each string that names half of a
 * WeakMap entry, the id of the table, else 0. page: whether a node belongs to the page; NULL if all do. */
EXPORT void find_essential(const Graph *graph, uint32_t root, uint8_t weak, uint8_t shortcut, uint8_t internal,
                           const uint32_t *node_id, const uint32_t *table, const uint8_t *page, uint8_t *bits) {
    for (uint32_t node = 0; node < graph->nodes; node++) {
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            const uint8_t type = graph->edge_type[edge];
            const uint32_t to = graph->edge_to[edge];
            if (type == weak || to == node) continue;
            if (type == internal) {
                const uint32_t of = table[graph->edge_name[edge]];
                if (of && of == node_id[node]) continue;
            }
            if (node != root && (type == shortcut || (page && page[to] && !page[node]))) continue;
            bits[edge >> 3] |= (uint8_t)(1u << (edge & 7));
        }
    }
}

/* Dominators by the semi-NCA algorithm: Georgiadis, Tarjan, Werneck, "Finding dominators in practice" (2006), and what
 * each node retains. Nodes that nothing essential leads to hang under the root; so does each node of a ring that only
 * itself holds. Memory is what limits the size of a heap that can be analysed, so arrays change their meaning on the
 * way, and `retained` is not touched before the others are free. */
EXPORT int32_t find_dominators(const Graph *graph, uint32_t root, const uint8_t *essential, const uint32_t *self_size,
                               uint32_t *dominator, int64_t *retained) {
    const uint32_t none = 0xffffffffu;
    const int64_t nodes = graph->nodes;
    const uint32_t *first_edge = graph->first_edge, *edge_to = graph->edge_to;
    int32_t result = NO_MEMORY;
    /* All but `number` are by number: the order in which the walk below meets the nodes. */
    uint32_t *number = dominator;
    uint32_t *node_of = malloc(sizeof(uint32_t) * (size_t)nodes);
    uint32_t *parent = malloc(sizeof(uint32_t) * (size_t)nodes);
    uint32_t *next = malloc(sizeof(uint32_t) * (size_t)nodes);
    uint32_t *first = calloc((size_t)nodes + 2, sizeof(uint32_t));
    uint32_t *from = NULL;
    /* By node: whether anything leads there. By edge: whether it is essential, and the walk does not go along it. */
    uint8_t *led = calloc((size_t)nodes, 1);
    uint8_t *others = malloc((size_t)graph->edges / 8 + 1);
    if (!node_of || !parent || !next || !first || !led || !others) goto done;

    for (int64_t edge = 0; edge < graph->edges; edge++)
        if (bit(essential, edge)) led[edge_to[edge]] = 1;
    memcpy(others, essential, ((size_t)graph->edges + 7) / 8);
    memset(number, 0xff, sizeof(uint32_t) * (size_t)nodes);
    uint32_t count = 0;
    for (int64_t start = -1; start < nodes; start++) {
        const uint32_t top = start < 0 ? root : (uint32_t)start;
        if (number[top] != none || (start >= 0 && led[top])) continue;
        number[top] = count;
        node_of[count] = top;
        parent[count] = 0;
        next[count] = first_edge[top];
        uint32_t here = count++;
        const uint32_t bottom = here;
        for (;;) {
            const uint32_t stop = first_edge[node_of[here] + 1];
            uint32_t edge = next[here];
            for (; edge < stop; edge++) {
                if (!bit(essential, edge)) continue;
                const uint32_t met = number[edge_to[edge]];
                if (met == none) break;
                /* How many others lead to each: where they stand is known when all have been met. */
                first[met + 2]++;
            }
            if (edge == stop) {
                if (here == bottom) break;
                here = parent[here];
                continue;
            }
            next[here] = edge + 1;
            others[edge >> 3] &= (uint8_t)~(1u << (edge & 7));
            const uint32_t to = edge_to[edge];
            number[to] = count;
            node_of[count] = to;
            parent[count] = here;
            next[count] = first_edge[to];
            here = count++;
        }
    }

    /* Who leads to each node beside its parent; what nothing reaches leads nowhere. */
    for (uint32_t i = 0; i < count; i++) first[i + 2] += first[i + 1];
    from = malloc(sizeof(uint32_t) * ((size_t)first[count + 1] + 1));
    if (!from) goto done;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t node = node_of[i];
        for (uint32_t edge = first_edge[node]; edge < first_edge[node + 1]; edge++) {
            if (bit(others, edge)) from[first[number[edge_to[edge]] + 1]++] = i;
        }
    }

    /* From the last to the first. What `first` says of the nodes that are done is not needed any more: their
     * semidominators stand there, one further on. */
    uint32_t *ancestor = number, *label = next, *semi = first + 1;
    memcpy(ancestor, parent, sizeof(uint32_t) * (size_t)count);
    for (uint32_t i = 0; i < count; i++) label[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        uint32_t lowest = parent[i];
        for (uint32_t arrow = first[i]; arrow < first[i + 1]; arrow++) {
            const uint32_t start = from[arrow];
            if (start > i) {
                /* Up to the last node above i, and down again: each on the way learns the lowest label above it, and
                 * leads directly to the end from now on. On the way up, `ancestor` says where we came from. */
                uint32_t here = start, came = none;
                while (ancestor[here] > i) {
                    const uint32_t above = ancestor[here];
                    ancestor[here] = came;
                    came = here;
                    here = above;
                }
                const uint32_t end = ancestor[here];
                uint32_t low = label[here];
                while (came != none) {
                    const uint32_t below = ancestor[came];
                    if (low < label[came]) label[came] = low;
                    low = label[came];
                    ancestor[came] = end;
                    came = below;
                }
                if (low < lowest) lowest = low;
            } else if (start < lowest) {
                lowest = start;
            }
        }
        semi[i] = label[i] = lowest;
    }
    /* From the first to the last: the dominator is the nearest one above that is no later than the semidominator. In a
     * long list whose items something else holds, too, every item would climb the whole list; so each node also knows
     * one far above it, at distances that make any climb logarithmic: E. W. Myers, "An applicative random-access
     * stack" (1983). */
    uint32_t *depth = number, *jump = next;
    depth[0] = jump[0] = 0;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t above = parent[i];
        while (above > semi[i]) above = jump[above] > semi[i] ? jump[above] : parent[above];
        parent[i] = above;
        depth[i] = depth[above] + 1;
        const uint32_t far = jump[above];
        jump[i] = depth[above] - depth[far] == depth[far] - depth[jump[far]] ? jump[far] : above;
    }
    free(from);
    free(next);
    free(first);
    free(led);
    free(others);
    from = next = first = NULL;
    led = others = NULL;
    for (int64_t node = 0; node < nodes; node++) {
        dominator[node] = root;
        retained[node] = self_size[node];
    }
    for (uint32_t i = count; i-- > 1;) {
        dominator[node_of[i]] = node_of[parent[i]];
        retained[node_of[parent[i]]] += retained[node_of[i]];
    }
    if (count < nodes) {
        /* The others: mark those that have been met. */
        memset(parent, 0, sizeof(uint32_t) * (size_t)nodes);
        for (uint32_t i = 0; i < count; i++) parent[node_of[i]] = 1;
        for (int64_t node = 0; node < nodes; node++)
            if (!parent[node]) retained[root] += retained[node];
    }
    result = OK;
done:
    free(node_of);
    free(parent);
    free(next);
    free(first);
    free(from);
    free(led);
    free(others);
    return result;
}

/* Who holds each node: for node, the edges edge[first[node]:first[node + 1]] and where they come from. The last edge of
 * the file comes first, as in DevTools. from may be NULL. */
EXPORT void find_retainers(const Graph *graph, uint32_t *first, uint32_t *from, uint32_t *edges) {
    memset(first, 0, sizeof(uint32_t) * ((size_t)graph->nodes + 1));
    for (int64_t edge = 0; edge < graph->edges; edge++) first[graph->edge_to[edge]]++;
    for (int64_t node = 1; node <= graph->nodes; node++) first[node] += first[node - 1];
    for (uint32_t node = 0; node < graph->nodes; node++)
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            const uint32_t slot = --first[graph->edge_to[edge]];
            edges[slot] = edge;
            if (from) from[slot] = node;
        }
}

/* By class, all zero at first but nearest: how many nodes it has, their size, the distance of the nearest, and what it
 * retains: the retained size of every node that no other node of its class dominates. Nodes without a size do not
 * count. distance may be NULL. */
EXPORT int32_t sum_classes(int64_t nodes, uint32_t root, const uint32_t *dominator, const int64_t *retained_size,
                           const uint32_t *self_size, const int32_t *distance, const uint32_t *class_of,
                           int64_t classes, int64_t *count, int64_t *size, int32_t *nearest, int64_t *retained) {
    const uint32_t none = 0xffffffffu;
    int32_t result = NO_MEMORY;
    uint32_t *child = malloc(sizeof(uint32_t) * (size_t)nodes);
    uint32_t *sibling = malloc(sizeof(uint32_t) * (size_t)nodes);
    uint8_t *open = calloc((size_t)(classes ? classes : 1), 1);
    if (!child || !sibling || !open) goto done;
    memset(child, 0xff, sizeof(uint32_t) * (size_t)nodes);
    for (int64_t node = 0; node < nodes; node++) {
        if (self_size[node]) {
            const uint32_t of = class_of[node];
            count[of]++;
            size[of] += self_size[node];
            if (distance && distance[node] < nearest[of]) nearest[of] = distance[node];
        }
        if ((uint32_t)node == root) continue;
        sibling[node] = child[dominator[node]];
        child[dominator[node]] = (uint32_t)node;
    }
    sibling[root] = none;
    /* Down to the first child, else on to the next sibling, else up. A node that opened its class says so in child. */
    uint32_t node = root;
    for (;;) {
        const uint32_t of = class_of[node];
        const uint32_t below = child[node];
        child[node] = none;
        if (self_size[node] && !open[of]) {
            retained[of] += retained_size[node];
            if (below != none) {
                open[of] = 1;
                child[node] = 0;
            }
        }
        if (below != none) {
            node = below;
            continue;
        }
        while (node != root && sibling[node] == none) {
            node = dominator[node];
            if (child[node] == 0) {
                open[class_of[node]] = 0;
                child[node] = none;
            }
        }
        if (node == root) break;
        node = sibling[node];
    }
    result = OK;
done:
    free(child);
    free(sibling);
    free(open);
    return result;
}

/* Which objects have properties of the same names in the same order: shape[i] is the first object of objects[0:count]
 * that objects[i] is like. table has room for a power of two of at least twice the objects. */
EXPORT void find_shapes(const Graph *graph, uint8_t property, const uint32_t *objects, int64_t count, uint32_t *shape,
                        uint32_t *table, int64_t slots) {
    const uint32_t none = 0xffffffffu;
    memset(table, 0xff, sizeof(uint32_t) * (size_t)slots);
    for (int64_t i = 0; i < count; i++) {
        uint64_t hash = 14695981039346656037u;
        for (uint32_t edge = graph->first_edge[objects[i]]; edge < graph->first_edge[objects[i] + 1]; edge++)
            if (graph->edge_type[edge] == property) hash = (hash ^ graph->edge_name[edge]) * 1099511628211u;
        uint64_t slot = (hash ^ hash >> 29) & (uint64_t)(slots - 1);
        for (;; slot = (slot + 1) & (uint64_t)(slots - 1)) {
            if (table[slot] == none) {
                table[slot] = (uint32_t)i;
                shape[i] = (uint32_t)i;
                break;
            }
            const uint32_t other = objects[table[slot]];
            uint32_t a = graph->first_edge[objects[i]], b = graph->first_edge[other];
            const uint32_t a_end = graph->first_edge[objects[i] + 1], b_end = graph->first_edge[other + 1];
            int same = 1;
            for (;;) {
                while (a < a_end && graph->edge_type[a] != property) a++;
                while (b < b_end && graph->edge_type[b] != property) b++;
                if (a == a_end || b == b_end || graph->edge_name[a] != graph->edge_name[b]) {
                    same = a == a_end && b == b_end;
                    break;
                }
                a++;
                b++;
            }
            if (same) {
                shape[i] = table[slot];
                break;
            }
        }
    }
}

/* Breadth first along the allowed edges from the nodes in queue[0:waiting], which are reached. parent_edge is the edge by
 * which a node was first reached. queue has room for all nodes. */
EXPORT void search(const Graph *graph, const uint8_t *allowed, uint32_t *queue, int64_t waiting, int32_t *parent_edge,
                   uint8_t *reached) {
    for (int64_t next = 0; next < waiting; next++) {
        const uint32_t node = queue[next];
        for (uint32_t edge = graph->first_edge[node]; edge < graph->first_edge[node + 1]; edge++) {
            const uint32_t to = graph->edge_to[edge];
            if (!allowed[edge] || reached[to]) continue;
            reached[to] = 1;
            parent_edge[to] = (int32_t)edge;
            queue[waiting++] = to;
        }
    }
}
