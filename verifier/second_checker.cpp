// A second checker of evidence. Everything that it does stands in docs/maintain/evidence.md, description.md and
// kernel.md. It shares no code with the kernel, and asks nothing of Python.
//
//   g++ -std=c++20 -O2 -o second_checker second_checker.cpp
//   ./second_checker DESCRIPTIONS evidence.json ...        DESCRIPTIONS is a folder with DIGEST.json files
//
// It reads no words of claims: a file says what they mean as data (`reads`), and a line `means` prints each of these.
// It prints a line for each certificate: `shown`, `refused`, or `left` (of another kind, or beyond this program), and a
// line for each file: CONFIRMED, REFUSED or LEFT. It ends with 0 only if every file is confirmed, with 1 if a
// certificate is refused, with 2 if a file cannot be read, and else with 3.

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cstdint>
#include <deque>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using std::string;
using std::vector;
using Int = int64_t;
using State = vector<Int>;

struct Unreadable : std::runtime_error { using runtime_error::runtime_error; };
struct Refused : std::runtime_error { using runtime_error::runtime_error; };
struct Left : std::runtime_error { using runtime_error::runtime_error; };
/// The rules break: a value leaves its bounds, or automatic phases do not come to an end.
struct Fault : Refused {
  bool bounds;
  explicit Fault(const string& why, bool of_bounds = true) : Refused(why), bounds(of_bounds) {}
};

constexpr int MOST_PHASES = 100'000;  // automatic phases in a row
constexpr Int MOST_STATES = 1'000'000, MOST_COUNTED = 5'000'000, MOST_STEPS = 2'000'000'000;
constexpr Int WIDEST = Int(1) << 61;

[[noreturn]] void leave_big() { throw Left("a number has more than 62 bits"); }
template <typename N> N plus(N a, N b) { N made; return __builtin_add_overflow(a, b, &made) ? leave_big(), made : made; }
template <typename N> N times(N a, N b) { N made; return __builtin_mul_overflow(a, b, &made) ? leave_big(), made : made; }
Int divided(Int a, Int b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }  // rounded down

// -- JSON -----------------------------------------------------------------------------------------------------------

struct Json {
  enum Kind { null, truth, number, text, list, map } kind = null;
  Int value = 0;
  string words;
  vector<Json> items;
  vector<std::pair<string, Json>> pairs;

  const Json* get(const string& key) const {
    for (auto& [name, json] : pairs)
      if (name == key) return &json;
    return nullptr;
  }
  const Json& at(const string& key) const {
    if (auto json = get(key)) return *json;
    throw Unreadable("expected the key `" + key + "`");
  }
  const Json& at(size_t place) const { return all().size() > place ? items[place] : throw Unreadable("a list is too short"); }
  const Json& is(Kind wanted, const char* what) const {
    if (kind != wanted) throw Unreadable(string("expected ") + what);
    return *this;
  }
  const string& str() const { return is(text, "a text").words; }
  Int whole() const { return is(number, "a whole number").value; }
  bool yes() const { return is(truth, "true or false").value != 0; }
  size_t index() const {
    if (whole() < 0 || value > 1'000'000'000) throw Unreadable("expected a number from 0 on");
    return size_t(value);
  }
  const vector<Json>& all() const { return is(list, "a list").items; }
  template <typename Each> auto each(Each one) const {
    vector<decltype(one(items[0]))> made;
    for (auto& item : all()) made.push_back(one(item));
    return made;
  }
  vector<string> strings() const { return each([](auto& item) { return item.str(); }); }
  vector<size_t> indices() const { return each([](auto& item) { return item.index(); }); }
  vector<Int> wholes() const { return each([](auto& item) { return item.whole(); }); }
  std::optional<size_t> optional() const { return kind == null ? std::nullopt : std::optional(index()); }
  /// Refuse a mapping with other keys than these: without an unknown key, it would mean something else.
  const Json& only(std::initializer_list<const char*> keys, std::initializer_list<const char*> others = {}) const {
    is(map, "a mapping");
    size_t needed = 0;
    for (auto& [name, json] : pairs) {
      bool mine = std::find(keys.begin(), keys.end(), name) != keys.end();
      if (!mine && std::find(others.begin(), others.end(), name) == others.end()) throw Unreadable("unknown key `" + name + "`");
      needed += mine;
    }
    if (needed != keys.size()) throw Unreadable("a key is missing");
    return *this;
  }
  /// One text for each value: keys are sorted.
  string dump() const {
    string made;
    if (kind == null) return "null";
    if (kind == truth) return value ? "true" : "false";
    if (kind == number) return std::to_string(value);
    if (kind == text) {
      for (char c : words) made += c == '"' || c == '\\' ? string("\\") + c : c == '\n' ? "\\n" : c == '\t' ? "\\t" : string(1, c);
      return "\"" + made + "\"";
    }
    std::map<string, string> sorted;
    for (auto& [name, json] : pairs) sorted[name] = json.dump();
    for (auto& [name, json] : sorted) made += (made.empty() ? "" : ", ") + Json{text, 0, name, {}, {}}.dump() + ": " + json;
    for (auto& item : items) made += (made.empty() ? "" : ", ") + item.dump();
    return kind == map ? "{" + made + "}" : "[" + made + "]";
  }
};

Int as_int(const string& text) {
  Int value = 0;
  bool negative = text[0] == '-';
  for (size_t at = negative; at < text.size(); ++at) value = plus(times(value, Int(10)), Int(negative ? '0' - text[at] : text[at] - '0'));
  return value;
}
class JsonReader {
 public:
  JsonReader(const string& text, int most_depth) : text_(text), most_depth_(most_depth) {}
  Json whole() {
    Json made = value(0);
    space();
    if (at_ != text_.size()) wrong("nothing more");
    return made;
  }

 private:
  const string& text_;
  const int most_depth_;
  size_t at_ = 0;

  [[noreturn]] void wrong(const string& wanted) const {
    throw Unreadable("byte " + std::to_string(at_) + ": expected " + wanted);
  }
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void space() { while (at_ < text_.size() && strchr_(" \t\r\n", text_[at_])) ++at_; }
  static bool strchr_(const char* set, char c) { return c && string(set).find(c) != string::npos; }
  bool take(char c) {
    space();
    if (here() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) { if (!take(c)) wrong(string("`") + c + "`"); }

  Json value(int depth) {
    space();
    if (depth >= most_depth_ && (here() == '[' || here() == '{')) wrong("less depth");
    Json made;
    if (here() == '"') {
      made.kind = Json::text;
      made.words = quoted();
    } else if (take('[')) {
      made.kind = Json::list;
      if (!take(']')) {
        do made.items.push_back(value(depth + 1)); while (take(','));
        expect(']');
      }
    } else if (take('{')) {
      made.kind = Json::map;
      std::set<string> names;
      if (!take('}')) {
        do {
          space();
          string name = quoted();
          if (!names.insert(name).second) wrong("the key `" + name + "` once");
          expect(':');
          made.pairs.emplace_back(name, value(depth + 1));
        } while (take(','));
        expect('}');
      }
    } else if (word("null")) {
    } else if (word("true") || word("false")) {
      made.kind = Json::truth;
      made.value = text_[at_ - 2] == 'u';
    } else {
      made.kind = Json::number;
      made.value = whole_number();
    }
    return made;
  }
  bool word(const string& wanted) {
    if (text_.compare(at_, wanted.size(), wanted) != 0) return false;
    at_ += wanted.size();
    return true;
  }
  Int whole_number() {
    size_t from = at_;
    if (here() == '-') ++at_;
    size_t first = at_;
    while (isdigit(static_cast<unsigned char>(here()))) ++at_;
    if (at_ == first || (at_ > first + 1 && text_[first] == '0') || strchr_(".eE", here())) wrong("a whole number");
    return as_int(text_.substr(from, at_ - from));
  }
  string quoted() {
    if (here() != '"') wrong("a text");
    string made;
    for (++at_; here() != '"'; ++at_) {
      if (static_cast<unsigned char>(here()) < 0x20) wrong("the end of a text");
      if (here() != '\\') { made += here(); continue; }
      ++at_;
      const string plain = "\"\\/bfnrt", means = "\"\\/\b\f\n\r\t";
      if (here() == 'u') utf8(made, unit());
      else if (auto which = plain.find(here()); here() && which != string::npos) made += means[which];
      else wrong("a letter that may stand behind `\\`");
    }
    ++at_;
    return made;
  }
  uint32_t unit() {  // at the `u`; leaves the place at the last digit
    uint32_t code = 0;
    for (int n = 0; n < 4; ++n) {
      ++at_;
      if (!isxdigit(static_cast<unsigned char>(here()))) wrong("four hexadecimal digits");
      code = code * 16 + uint32_t(std::stoi(string(1, here()), nullptr, 16));
    }
    return code;
  }
  void utf8(string& made, uint32_t code) {
    if (code >= 0xD800 && code < 0xDC00 && text_.compare(at_ + 1, 2, "\\u") == 0) {
      at_ += 2;
      uint32_t low = unit();
      if (low < 0xDC00 || low > 0xDFFF) wrong("a pair of surrogates");
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
    } else if (code >= 0xD800 && code < 0xE000) {
      wrong("a pair of surrogates");
    }
    if (code < 0x80) { made += char(code); return; }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    made += char((more == 1 ? 0xC0 : more == 2 ? 0xE0 : 0xF0) | (code >> (6 * more)));
    while (more--) made += char(0x80 | ((code >> (6 * more)) & 0x3F));
  }
};

// -- SHA-256 (FIPS 180-4) -----------------------------------------------------------------------------------------------

constexpr uint32_t ROUND[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

string sha256(string data) {
  std::array<uint32_t, 8> hash{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  auto turn = [](uint32_t x, int n) { return x >> n | x << (32 - n); };
  uint64_t bits = uint64_t(data.size()) * 8;
  data += char(0x80);
  while (data.size() % 64 != 56) data += '\0';
  for (int n = 7; n >= 0; --n) data += char(bits >> (8 * n));
  for (size_t block = 0; block < data.size(); block += 64) {
    uint32_t w[64];
    for (size_t i = 0; i < 16; ++i) {
      w[i] = 0;
      for (size_t k = 0; k < 4; ++k) w[i] = w[i] << 8 | uint8_t(data[block + 4 * i + k]);
    }
    for (int i = 16; i < 64; ++i) {
      uint32_t s0 = turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3;
      uint32_t s1 = turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10;
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (size_t i = 0; i < 64; ++i) {
      uint32_t one = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUND[i] + w[i];
      uint32_t two = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const uint32_t after[8] = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i) hash[i] += after[i];
  }
  string made;
  for (uint32_t part : hash)
    for (int n = 28; n >= 0; n -= 4) made += "0123456789abcdef"[part >> n & 15];
  return made;
}

// -- the description (description.md) ---------------------------------------------------------------------------------

enum Code { VALUE, LOCAL, READ, LOOKUP, CALL, PICK, AND, OR, NOT, SUM, ANY, ALL, LEAST_OF, MOST_OF, ABS, PLUS, MINUS, TIMES, OVER, REST,
            SAME, OTHER, LESS, UP_TO, LEAST, MOST, WAS, CODES };
constexpr const char* WORDS[CODES] = {"value", "local", "read", "lookup", "call", "pick", "and", "or", "not", "sum", "any", "all", "min of", "max of",
                                      "abs", "+", "-", "*", "//", "%", "==", "!=", "<", "<=", "min", "max", "was"};
struct Term {
  Code code;
  size_t on = 0;  // a local, field, table or function
  vector<size_t> args{};
  Int value = 0;
};
enum Does { SET, KEEP, IF, LOOP, DO, FINISH, REQUIRE, DOES };
constexpr const char* DOES_WORDS[DOES] = {"set", "keep", "if", "loop", "do", "finish", "require"};
struct Statement {
  Does does;
  size_t on = 0;  // a field, local, procedure or ending
  size_t index = 0, value = 0, then = 0, other = 0;
  vector<size_t> args{};
};
struct Field { string name, sees; Int low, high; vector<Int> shape, start; size_t offset; };
struct Table { string name; vector<Int> shape, values; };
struct Local { string name; Int low, high; };
struct Rule { vector<size_t> params; size_t body; };  // of a function (a term) or a procedure (a block)
struct Phase { string name; bool automatic, chance; size_t actor, does; };
struct Parameter { size_t local; vector<string> labels; };
struct Action {
  string name;
  vector<string> texts;
  bool each_text;
  std::set<Int> phases;
  vector<Parameter> params;
  size_t does, first, count;
  std::optional<size_t> weight;
};
struct Ending { string kind, reason; std::optional<size_t> winner; bool shared; };

/// The place of a word in a list of them.
template <typename E, size_t n> E named(const string& word, const char* const (&words)[n]) {
  size_t place = size_t(std::find(words, words + n, word) - words);
  return place < n ? E(place) : throw Unreadable("unknown word `" + word + "`");
}
size_t below(size_t number, size_t many) { return number < many ? number : throw Unreadable("a row names one that is not above it"); }

struct Game {
  Int players;
  vector<vector<Int>> teams;  // as declared
  vector<Field> fields;
  vector<Table> tables;
  vector<Local> locals;
  vector<Term> terms;
  vector<Rule> functions, procedures;
  vector<vector<Statement>> blocks;
  vector<Phase> phases;
  vector<Action> actions;
  vector<Ending> endings;
  std::optional<vector<size_t>> payoffs;
  std::map<string, size_t> quantities, declared;
  size_t cells = 0, ground = 0, own_terms = 0, own_locals = 0;

  explicit Game(const Json& file) {
    players = file.at("players").whole();
    for (auto& team : file.at("teams").all()) teams.push_back(team.wholes());
    for (auto& row : file.at("phases").all()) {
      auto& actor = row.at("actor");
      bool seat = actor.kind != Json::text, automatic = !seat && actor.words == "nobody";
      phases.push_back({row.at("name").str(), automatic, !seat && !automatic, seat ? actor.index() : 0, automatic ? row.at("does").index() : 0});
    }
    for (auto& row : file.at("endings").all())
      endings.push_back({row.at("kind").str(), row.at("reason").str(), row.at("winner").optional(), row.at("shared").yes()});
    for (auto& row : file.at("fields").all()) fields.push_back(field(row)), cells += fields.back().start.size();
    for (auto& row : file.at("tables").all()) tables.push_back({row.at("name").str(), row.at("shape").wholes(), row.at("values").wholes()});
    for (auto& row : file.at("locals").all()) locals.push_back({row.at(0).str(), row.at(1).whole(), row.at(2).whole()});
    for (auto& row : file.at("terms").all()) terms.push_back(term(row));
    for (auto& row : file.at("functions").all()) functions.push_back({row.at("params").indices(), row.at("value").index()});
    for (auto& row : file.at("procedures").all()) procedures.push_back({row.at("params").indices(), row.at("does").index()});
    for (auto& row : file.at("blocks").all()) blocks.push_back(row.each([&](auto& item) { return statement(item); }));
    for (auto& row : file.at("actions").all()) actions.push_back(action(row)), ground += actions.back().count;
    if (file.at("payoffs").kind == Json::list) payoffs = file.at("payoffs").indices();
    for (auto& row : file.at("quantities").all()) quantities[row.at(0).str()] = row.at(1).index();
    for (auto& fact : file.at("facts").all())
      if (fact.at(0).str() == "invariants" && fact.at(1).kind == Json::map)
        for (auto& row : fact.at(1).at("map").all())
          declared[row.at(0).str()] = row.at(1).kind == Json::map ? row.at(1).at("term").index() : constant(row.at(1).value);
    own_terms = terms.size(), own_locals = locals.size();
  }

  /// Forget all terms and locals but those of the description.
  void forget() { terms.resize(own_terms), locals.resize(own_locals); }
  size_t add(Term term) { return terms.push_back(std::move(term)), terms.size() - 1; }
  size_t constant(Int value) { return add({VALUE, 0, {}, value}); }

  /// Who plays together with a seat, itself included: all, if every win is shared and all returns are alike.
  vector<Int> team_of(Int seat) const {
    bool alike = !payoffs || std::set<size_t>(payoffs->begin(), payoffs->end()).size() < 2;
    if (alike && std::all_of(endings.begin(), endings.end(), [](auto& e) { return e.kind != "win" || e.shared; })) {
      vector<Int> all(static_cast<size_t>(players));
      return std::iota(all.begin(), all.end(), 0), all;
    }
    for (auto& team : teams)
      if (std::find(team.begin(), team.end(), seat) != team.end()) return team;
    return {};
  }
  const Action& action_of(size_t ident) const {
    for (auto& action : actions)
      if (ident >= action.first && ident < action.first + action.count) return action;
    throw Refused("the game has no action " + std::to_string(ident));
  }
  vector<Int> values(const Action& action, size_t ident) const {
    vector<Int> made(action.params.size());
    Int rest = Int(ident - action.first);
    for (size_t n = made.size(); n-- > 0;) {
      auto& local = locals.at(action.params[n].local);
      made[n] = local.low + rest % (local.high - local.low + 1), rest /= local.high - local.low + 1;
    }
    return made;
  }
  string show(size_t ident) const {
    auto& action = action_of(ident);
    if (action.each_text) return action.texts.at(ident - action.first);
    auto chosen = values(action, ident);
    const string& text = action.texts.at(0);
    string made;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '{' && text[at] != '}') { made += text[at]; continue; }
      if (at + 1 < text.size() && text[at + 1] == text[at]) { made += text[at++]; continue; }
      size_t end = std::min(text.find('}', at), text.size());
      string name = text.substr(at + 1, end - at - 1);
      for (size_t n = 0; n < chosen.size(); ++n) {
        auto& [local, labels] = action.params[n];
        if (locals[local].name == name) made += labels.empty() ? std::to_string(chosen[n]) : labels.at(size_t(chosen[n] - locals[local].low));
      }
      at = end;
    }
    return made;
  }

 private:
  Field field(const Json& row) {
    auto& bounds = row.at("bounds");
    Field made{row.at("name").str(), row.at("sees").str(), 0, 0, row.at("shape").wholes(), row.at("start").wholes(), cells};
    if (bounds.kind == Json::list) made.low = bounds.at(0).whole(), made.high = bounds.at(1).whole();
    else made.high = bounds.str() == "phases" ? Int(phases.size()) - 1 : Int(endings.size());
    if (made.low < -WIDEST || made.high > WIDEST) leave_big();
    return made;
  }
  Term term(const Json& row) {
    if (row.kind == Json::number) return {VALUE, 0, {}, row.value};
    Term made{named<Code>(row.at(0).str(), WORDS)};
    static const std::set<Code> on{LOCAL, READ, LOOKUP, CALL, SUM, ANY, ALL, LEAST_OF, MOST_OF};
    for (size_t n = 1; n < row.items.size(); ++n)
      if (n == 1 && on.contains(made.code)) made.on = row.at(n).index();
      else made.args.push_back(below(row.at(n).index(), terms.size()));
    return made;
  }
  Statement statement(const Json& row) {
    Statement made{named<Does>(row.at(0).str(), DOES_WORDS)};
    auto number = [&](size_t n) { return row.at(n).index(); };
    if (made.does == REQUIRE || made.does == IF) made.value = number(1);
    else made.on = number(1);
    if (made.does == SET) made.index = number(2), made.value = number(3);
    if (made.does == KEEP) made.value = number(2);
    if (made.does == IF) made.then = below(number(2), blocks.size()), made.other = below(number(3), blocks.size());
    if (made.does == LOOP) made.then = below(number(2), blocks.size());
    if (made.does == DO) made.args = row.at(2).indices();
    return made;
  }
  Action action(const Json& row) {
    auto& text = row.at("text");
    Action made{row.at("name").str(), {}, text.kind == Json::list, {}, {}, row.at("does").index(), ground, 1, row.at("weight").optional()};
    made.texts = made.each_text ? text.strings() : vector<string>{text.str()};
    for (Int phase : row.at("phases").wholes()) made.phases.insert(phase);
    for (auto& param : row.at("params").all()) {
      made.params.push_back({param.at("local").index(), param.at("labels").strings()});
      auto& local = locals.at(made.params.back().local);
      made.count *= size_t(local.high - local.low + 1);
    }
    return made;
  }
};

// -- claim terms (kernel.md, "How the kernel takes claims") -----------------------------------------------------------

/// Makes terms of the data of claims. `names` are counters, and the parameters of an action.
class ClaimTerms {
 public:
  explicit ClaimTerms(Game& game, std::map<string, size_t> names = {}, bool of_step = false)
      : game_(game), names_(std::move(names)), of_step_(of_step) {}

  size_t make(const Json& data) {
    if (data.kind == Json::number) return game_.constant(data.value);
    const string& word = data.at(0).str();
    auto part = [&](size_t n) { return make(data.at(n)); };
    if (word == "name") return name(data.at(1).str());
    if (word == "cell") {
      auto [code, number, index] = cell(data);
      return game_.add({code, number, {index}});
    }
    if (word == "sum" || word == "any" || word == "all") return loop(data, named<Code>(word, WORDS));
    if (word == "was" && of_step_) return game_.add({WAS, 0, {part(1)}});
    if (word == "quantity") return found(game_.quantities, data.at(1).str());
    if (word == "declared") return found(game_.declared, data.at(1).str());
    if (word == "ended") return apply(SAME, game_.add({READ, 1, {game_.constant(0)}}), game_.constant(ending(data)));
    if (word == "winner") {
      auto& winner = game_.endings[ending(data) - 1].winner;
      return winner ? *winner : game_.constant(0);
    }
    if (word == "return" && game_.payoffs) return game_.payoffs->at(data.at(1).index());
    if (word == "not") return game_.add({NOT, 0, {truth(part(1))}});
    if (word == "negative") return apply(MINUS, game_.constant(0), part(1));
    if (word == "and" || word == "or") {
      size_t made = truth(part(1));
      for (size_t n = 2; n < data.items.size(); ++n) made = apply(word == "and" ? AND : OR, made, truth(part(n)));
      return made;
    }
    if (word == ">") return apply(LESS, part(2), part(1));
    if (word == ">=") return apply(UP_TO, part(2), part(1));
    static const std::set<string> signs{"+", "-", "*", "<", "<=", "==", "!="};
    if (!signs.contains(word) || data.items.size() != 3) throw Left("a term of a claim is unknown: `" + word + "`");
    return apply(named<Code>(word, WORDS), part(1), part(2));
  }
  /// The array or table of a cell, and the number of the cell in it: beyond an end, it is the nearest cell.
  std::tuple<Code, size_t, size_t> cell(const Json& data) {
    const string& name = data.at(1).str();
    auto has_name = [&](auto& each) { return each.name == name && !each.shape.empty(); };
    size_t field = size_t(std::find_if(game_.fields.begin(), game_.fields.end(), has_name) - game_.fields.begin());
    size_t table = size_t(std::find_if(game_.tables.begin(), game_.tables.end(), has_name) - game_.tables.begin());
    bool is_field = field < game_.fields.size();
    if (!is_field && table == game_.tables.size()) throw Refused("`" + name + "` is no array of the game");
    auto shape = is_field ? game_.fields[field].shape : game_.tables[table].shape;
    if (data.items.size() != shape.size() + 2) throw Refused("`" + name + "` is no such array");
    size_t index = game_.constant(0);
    for (size_t n = 0; n < shape.size(); ++n) {
      size_t near = apply(MOST, game_.constant(0), apply(LEAST, make(data.at(n + 2)), game_.constant(shape[n] - 1)));
      index = apply(PLUS, apply(TIMES, index, game_.constant(shape[n])), near);
    }
    return {is_field ? READ : LOOKUP, is_field ? field : table, index};
  }
  size_t truth(size_t term) { return apply(OTHER, term, game_.constant(0)); }
  size_t both(size_t a, size_t b) { return apply(AND, truth(a), truth(b)); }
  size_t apply(Code code, size_t a, size_t b) { return game_.add({code, 0, {a, b}}); }

 private:
  Game& game_;
  std::map<string, size_t> names_;
  const bool of_step_;

  static size_t found(const std::map<string, size_t>& named, const string& name) {
    auto known = named.find(name);
    return known != named.end() ? known->second : throw Refused("`" + name + "` names no number of the game");
  }
  size_t ending(const Json& data) {
    size_t number = data.at(1).index();
    return number && number <= game_.endings.size() ? number : throw Refused("the game has no such ending");
  }
  size_t name(const string& name) {
    for (auto named : {&names_, &game_.quantities})
      if (auto known = named->find(name); known != named->end()) return known->second;
    bool field = false;
    for (size_t n = 0; n < game_.fields.size(); ++n)
      if (game_.fields[n].name == name) {
        if (field = true; game_.fields[n].shape.empty()) return game_.add({READ, n, {game_.constant(0)}});
      }
    if (!game_.declared.contains(name) && !field && (name == "True" || name == "False")) return game_.constant(name == "True");
    return found(game_.declared, name);
  }
  size_t loop(const Json& data, Code code) {
    const string& counter = data.at(1).str();
    Int rows = data.at(2).whole();
    bool known = names_.contains(counter) || game_.quantities.contains(counter);
    for (auto& field : game_.fields) known = known || field.name == counter;
    if (known || rows < 1) throw Refused("`" + counter + "` has a meaning already, or counts nothing");
    size_t local = game_.locals.size();
    game_.locals.push_back({counter, 0, rows - 1});
    names_[counter] = game_.add({LOCAL, local});
    size_t part = make(data.at(3));
    names_.erase(counter);
    return game_.add({code, local, {code == SUM ? part : truth(part)}});
  }
};

// -- running a description --------------------------------------------------------------------------------------------

/// Plain numbers, for a state that is known.
struct Plain {
  using Num = Int;
  static constexpr Num none() { return 0; }
  static Num number(Int value) { return value; }
  static bool known(Num number, Int& value) { return value = number, true; }
  static Num plus(Num a, Num b) { return ::plus(a, b); }
  static Num times(Num a, Num b) { return ::times(a, b); }
  static Num over(Num a, Int by) { return divided(a, by); }
  static Num least(Num a, Num b) { return std::min(a, b); }
  static Num at_most_0(Num a) { return a <= 0; }
  static Num is_0(Num a) { return a == 0; }
  static Num truth(Num a) { return a != 0; }
  static Num both(Num a, Num b) { return a && b; }
  static Num choose(Num index, const vector<Num>& options) { return options.at(size_t(index)); }
  template <typename Get> static Num at(Num index, size_t size, const Get& get) {
    return index >= 0 && index < Int(size) ? get(size_t(index)) : throw Fault("an index lies outside its array");
  }
  static Num inside(Num value, Int low, Int high, Num, const string& name) {
    return value >= low && value <= high ? value : throw Fault("`" + name + "` leaves its bounds");
  }
};

/// Runs terms and blocks on cells, in a domain of numbers: `Plain`, or `Forms` of cells that are open. Where a branch is
/// open, both sides run. `path` is the condition of the branches, `met` that of what an action requires.
template <typename Domain> class Machine {
 public:
  using Num = typename Domain::Num;
  Machine(const Game& rules, Domain& numbers) : game(rules), d(numbers), env(rules.locals.size(), numbers.none()), path(numbers.number(1)), met(path) {}
  const Game& game;
  Domain& d;
  vector<Num> cells, earlier, env;  // `earlier` is the state before a step, for `was`
  Num path, met;

  Num value(size_t number) {
    const Term& term = game.terms.at(number);
    auto arg = [&](size_t n) { return value(term.args[n]); };
    Int known;
    switch (term.code) {
      case VALUE: return d.number(term.value);
      case LOCAL: return env.at(term.on) != d.none() || !d.none() ? env[term.on] : throw Left("a local is read behind an open branch");
      case READ: {
        auto& field = game.fields.at(term.on);
        return d.at(arg(0), field.start.size(), [&](size_t n) { return cells[field.offset + n]; });
      }
      case LOOKUP: {
        auto& table = game.tables.at(term.on).values;
        return d.at(arg(0), table.size(), [&](size_t n) { return d.number(table[n]); });
      }
      case CALL: {
        auto& [params, body] = game.functions.at(term.on);
        vector<Num> given;
        for (size_t n = 0; n < term.args.size(); ++n) given.push_back(arg(n));
        for (size_t n = 0; n < given.size(); ++n) std::swap(env.at(params.at(n)), given[n]);
        Num made = value(body);
        for (size_t n = 0; n < given.size(); ++n) env[params[n]] = given[n];
        return made;
      }
      case PICK: {
        Num condition = d.truth(arg(0));
        if (d.known(condition, known)) return arg(known ? 1 : 2);
        Num then = arg(1);
        return d.choose(condition, {arg(2), then});
      }
      case AND: case OR: {
        Num first = d.truth(arg(0));
        bool stops = term.code == OR;
        if (d.known(first, known) && (known != 0) == stops) return d.number(stops);
        Num second = d.truth(arg(1));
        return stops ? negated(d.both(negated(first), negated(second))) : d.both(first, second);
      }
      case NOT: return negated(d.truth(arg(0)));
      case SUM: case ANY: case ALL: case LEAST_OF: case MOST_OF: return over_all(term);
      case ABS: { Num a = arg(0); return most(a, minus(a)); }
      case WAS: {
        auto now = std::exchange(cells, earlier);
        Num made = arg(0);
        return cells = now, made;
      }
      default: break;
    }
    Num a = arg(0), b = arg(1);
    switch (term.code) {
      case PLUS: return d.plus(a, b);
      case MINUS: return difference(a, b);
      case TIMES: return d.times(a, b);
      case OVER: case REST: {
        if (!d.known(b, known) || known <= 0) throw Unreadable("a divisor is no constant above 0");
        Num over = d.over(a, known);
        return term.code == OVER ? over : difference(a, d.times(over, b));
      }
      case SAME: return d.is_0(difference(a, b));
      case OTHER: return negated(d.is_0(difference(a, b)));
      case LESS: return d.at_most_0(d.plus(difference(a, b), d.number(1)));
      case UP_TO: return d.at_most_0(difference(a, b));
      case LEAST: return d.least(a, b);
      default: return most(a, b);
    }
  }
  Num condition(size_t term) { return d.truth(value(term)); }
  Num minus(Num a) { return d.times(a, d.number(-1)); }
  Num difference(Num a, Num b) { return d.plus(a, minus(b)); }
  Num negated(Num truth) { return difference(d.number(1), truth); }
  Num most(Num a, Num b) { return minus(d.least(minus(a), minus(b))); }

  void bind(const Action& action, const vector<Num>& values) {
    for (size_t n = 0; n < values.size(); ++n) env.at(action.params[n].local) = values[n];
  }
  /// Ask what an action requires, up to its first effect, and of chance its weight. The answer is `met`.
  void ask_legal(const Action& action, bool chance) {
    Int known;
    bool effect = false;
    if (!ordered(action.does, effect)) throw Left("an action requires something behind an effect");
    met = d.number(1);
    ask(action.does);
    if (!action.weight || !chance || (d.known(met, known) && !known)) return;
    met = d.both(met, d.at_most_0(difference(d.number(1), value(*action.weight))));
  }
  void run(size_t block) {
    for (auto& s : game.blocks.at(block)) switch (s.does) {
      case SET: {
        auto& field = game.fields.at(s.on);
        Num index = d.inside(value(s.index), 0, Int(field.start.size()) - 1, path, field.name);
        put(field.offset, field.start.size(), index, d.inside(value(s.value), field.low, field.high, path, field.name));
        break;
      }
      case KEEP: keep(s); break;
      case IF: branch(s, [&](size_t side) { run(side); }); break;
      case LOOP: loop(s.on, [&] { run(s.then); return true; }); break;
      case DO: {
        auto& [params, body] = game.procedures.at(s.on);
        vector<Num> inner(env.size(), d.none());
        for (size_t n = 0; n < s.args.size(); ++n) inner.at(params.at(n)) = bound(params[n], value(s.args[n]));
        std::swap(env, inner);
        run(body);
        std::swap(env, inner);
        break;
      }
      case FINISH: cells[1] = d.choose(d.is_0(cells[1]), {cells[1], d.number(Int(s.on) + 1)}); break;
      default: break;
    }
  }

 private:
  template <typename Each> void loop(size_t local, const Each& each) {
    Num saved = env.at(local);
    for (Int i = game.locals[local].low; i <= game.locals[local].high; ++i) {
      env[local] = d.number(i);
      if (!each()) break;
    }
    env[local] = saved;
  }
  Num over_all(const Term& term) {
    Code code = term.code;
    std::optional<Num> made;
    if (code == SUM || code == ANY || code == ALL) made = d.number(code == ALL);
    loop(term.on, [&] {
      Num each = value(term.args[0]);
      Int known;
      if (code == SUM) made = d.plus(*made, each);
      else if (code == ANY) made = negated(d.both(negated(*made), negated(d.truth(each))));
      else if (code == ALL) made = d.both(*made, d.truth(each));
      else made = !made ? each : code == LEAST_OF ? d.least(*made, each) : most(*made, each);
      return (code != ANY && code != ALL) || !d.known(*made, known) || known == (code == ALL);
    });
    return made.value();
  }
  Num bound(size_t local, Num value) { return d.inside(value, game.locals.at(local).low, game.locals[local].high, d.both(path, met), game.locals[local].name); }
  void keep(const Statement& s) { env.at(s.on) = bound(s.on, value(s.value)); }
  void put(size_t offset, size_t size, Num index, Num value) {
    Int known;
    if (d.known(index, known)) { cells[offset + size_t(known)] = value; return; }
    for (size_t n = 0; n < size; ++n)
      cells[offset + n] = d.choose(d.is_0(difference(index, d.number(Int(n)))), {cells[offset + n], value});
  }
  template <typename Run> void branch(const Statement& s, const Run& go) {
    Num condition = d.truth(value(s.value));
    Int known;
    if (d.known(condition, known)) return go(known ? s.then : s.other);
    auto here = std::tuple(cells, env, met, path);
    path = d.both(path, condition);
    go(s.then);
    auto [cells_then, env_then, met_then, path_then] = std::tuple(cells, env, met, path);
    std::tie(cells, env, met, path) = here;
    Num outer = std::exchange(path, d.both(path, negated(condition)));
    go(s.other);
    path = outer, met = d.choose(condition, {met, met_then});
    for (auto [now, then] : {std::pair(&cells, &cells_then), std::pair(&env, &env_then)})
      for (size_t n = 0; n < now->size(); ++n)
        if ((*now)[n] != (*then)[n]) (*now)[n] = (*now)[n] == d.none() || (*then)[n] == d.none() ? d.none() : d.choose(condition, {(*now)[n], (*then)[n]});
  }
  /// Whether nothing is required behind an effect, in the order of the rules.
  bool ordered(size_t block, bool& effect) const {
    for (auto& s : game.blocks.at(block)) {
      if (s.does == REQUIRE && effect) return false;
      if (s.does == SET || s.does == DO || s.does == FINISH) effect = true;
      if ((s.does == IF || s.does == LOOP) && !ordered(s.then, effect)) return false;
      if (s.does == IF && !ordered(s.other, effect)) return false;
    }
    return true;
  }
  /// Read what a block requires until it is not met. Returns whether an effect was found, which ends it.
  bool ask(size_t block) {
    Int known;
    for (auto& s : game.blocks.at(block)) {
      if (s.does == REQUIRE) met = d.both(met, d.truth(value(s.value)));
      else if (s.does == KEEP) keep(s);
      else if (s.does == IF) {
        bool ended = false;
        branch(s, [&](size_t side) { ended = ask(side) || ended; });
        if (ended) return true;
      } else if (s.does == LOOP) {
        bool ended = false;
        loop(s.on, [&] { ended = ask(s.then); return !ended && !(d.known(met, known) && !known); });
        if (ended) return true;
      } else return true;
      if (d.known(met, known) && !known) return true;
    }
    return false;
  }
};
// -- numbers that are open --------------------------------------------------------------------------------------------

/// Numbers as sums: a constant, and atoms with factors. An atom is a cell or parameter that is open, or what a sum
/// decides: `n <= 0`, `n == 0`, `a and b`, one of several sums by an index, a product, a quotient. Equal ones are one.
/// `low` and `high` of a sum, and those of an atom in `atoms`, hold in every state; those in `lows` and `highs` hold in
/// the case that `refuted` looks at.
class Forms {
 public:
  using Num = uint32_t;
  enum Kind { VAR, AT_MOST_0, IS_0, BOTH, CHOICE, PRODUCT, QUOTIENT };
  struct Atom { Kind kind; vector<Num> args; Int by, low, high; Num self; uint64_t hash; };  // `self` is the sum of it alone
  struct Form { Int constant; vector<std::pair<Num, Int>> parts; Int low, high; uint64_t hash; };

  static inline Int work = 0;  // for one certificate
  vector<Num> faults;  // truths: a value leaves its bounds. A step without a fault makes all of them false

  static constexpr Num none() { return ~Num(0); }
  Num number(Int value) { return form(value, {}); }
  bool known(Num n, Int& value) const { return value = forms_[n].constant, forms_[n].parts.empty(); }
  Num variable(Int low, Int high) { return low == high ? number(low) : atom(VAR, {}, Int(atoms_.size()), low, high); }
  Num plus(Num a, Num b) {
    const Form &x = forms_[a], &y = forms_[b];
    vector<std::pair<Num, Int>> parts;
    parts.reserve(x.parts.size() + y.parts.size());
    for (size_t m = 0, n = 0; m < x.parts.size() || n < y.parts.size();) {
      if (n == y.parts.size() || (m < x.parts.size() && x.parts[m].first < y.parts[n].first)) parts.push_back(x.parts[m++]);
      else if (m == x.parts.size() || y.parts[n].first < x.parts[m].first) parts.push_back(y.parts[n++]);
      else if (Int sum = ::plus(x.parts[m].second, y.parts[n].second); ++m, sum) parts.emplace_back(y.parts[n++].first, sum);
      else ++n;
    }
    return form(::plus(x.constant, y.constant), parts);
  }
  Num times(Num a, Num b) {
    Int by;
    if (known(a, by)) std::swap(a, b);
    if (known(b, by)) {
      Form made = forms_[a];
      for (auto& part : made.parts) part.second = ::times(part.second, by);
      return form(::times(made.constant, by), by ? made.parts : vector<std::pair<Num, Int>>{});
    }
    for (auto [truth, other] : {std::pair(a, b), std::pair(b, a)})
      if (is_truth(truth)) return choose(truth, {number(0), other});
    auto& x = forms_[a];
    auto& y = forms_[b];
    Int ends[] = {::times(x.low, y.low), ::times(x.low, y.high), ::times(x.high, y.low), ::times(x.high, y.high)};
    return atom(PRODUCT, {std::min(a, b), std::max(a, b)}, 0, *std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4));
  }
  Num over(Num a, Int by) {
    Form rest = forms_[a], whole{divided(rest.constant, by), {}, 0, 0, 0};
    rest.constant -= whole.constant * by;
    std::erase_if(rest.parts, [&](auto& part) { return part.second % by == 0 && (whole.parts.emplace_back(part.first, part.second / by), true); });
    Num left = form(rest.constant, rest.parts), made = form(whole.constant, whole.parts);
    Int low = divided(forms_[left].low, by), high = divided(forms_[left].high, by);
    return plus(made, low == high ? number(low) : atom(QUOTIENT, {left}, by, low, high));
  }
  Num least(Num a, Num b) {
    Num first = at_most_0(plus(a, times(b, number(-1))));
    Int low = std::min(forms_[a].low, forms_[b].low), high = std::min(forms_[a].high, forms_[b].high);
    return choose(first, {b, a}, low, high);
  }
  Num truth(Num a) { return is_truth(a) ? a : negated(is_0(a)); }
  Num negated(Num truth) { return plus(number(1), times(truth, number(-1))); }
  Num at_most_0(Num a) {
    Form f = forms_[a];
    if (f.high <= 0 || f.low > 0) return number(f.high <= 0);
    if (auto truth = of_one(f, [](Int value) { return value <= 0; })) return *truth;
    Int by = divisor(f);
    for (auto& part : f.parts) part.second /= by;
    return atom(AT_MOST_0, {form(-divided(-f.constant, by), f.parts)}, 0, 0, 1);
  }
  Num is_0(Num a) {
    Form f = forms_[a];
    Int by = divisor(f);
    if (f.parts.empty() || f.low > 0 || f.high < 0 || f.constant % by) return number(f.parts.empty() && !f.constant);
    if (auto truth = of_one(f, [](Int value) { return value == 0; })) return *truth;
    if (f.parts[0].second < 0) by = -by;
    for (auto& part : f.parts) part.second /= by;
    return atom(IS_0, {form(f.constant / by, f.parts)}, 0, 0, 1);
  }
  Num both(Num a, Num b) {
    Int value;
    if (known(b, value)) std::swap(a, b);
    if (known(a, value)) return value ? b : a;
    if (a == b) return a;
    if (a == negated(b)) return number(0);
    return atom(BOTH, {a, b}, 0, 0, 1);
  }
  Num choose(Num index, vector<Num> options, Int low = -WIDEST, Int high = WIDEST) {
    Int value;
    if (known(index, value)) return options.at(size_t(value));
    if (std::all_of(options.begin(), options.end(), [&](Num option) { return option == options[0]; })) return options[0];
    if (options.size() == 2) {
      if (!is_truth(index)) index = negated(at_most_0(index));
      if (known(index, value)) return options.at(size_t(value));
      Num more = plus(options[1], times(options[0], number(-1)));
      if (known(more, value)) return plus(options[0], times(index, more));
      if (forms_[index].parts[0].second < 0) return choose(negated(index), {options[1], options[0]}, low, high);
      if (known(options[0], value) && !value && is_truth(options[1])) return both(index, options[1]);
      if (known(options[1], value) && !value && is_truth(options[0])) return both(negated(index), options[0]);
      if (known(options[0], value) && value == 1 && is_truth(options[1])) return negated(both(index, negated(options[1])));
      if (known(options[1], value) && value == 1 && is_truth(options[0])) return negated(both(negated(index), negated(options[0])));
    }
    Int least = WIDEST, most = -WIDEST;
    for (Num option : options) least = std::min(least, forms_[option].low), most = std::max(most, forms_[option].high);
    options.push_back(index);
    return atom(CHOICE, options, 0, std::max(low, least), std::min(high, most));
  }
  template <typename Get> Num at(Num index, size_t size, const Get& get) {
    Int low = forms_[index].low, high = forms_[index].high;
    if (low < 0 || high >= Int(size)) throw Left("an index may lie outside its array");
    vector<Num> options;
    for (Int n = low; n <= high; ++n) options.push_back(get(size_t(n)));
    return choose(plus(index, number(-low)), options);
  }
  Num inside(Num value, Int low, Int high, Num path, const string&) {
    Num below = at_most_0(plus(number(low), times(value, number(-1)))), above = at_most_0(plus(value, number(-high)));
    Num fault = both(path, negated(both(below, above)));
    Int sure;
    if (!known(fault, sure) || sure) faults.push_back(fault);
    Num clipped = choose(above, {number(high), value}, -WIDEST, high);  // without a fault, the same value
    return choose(below, {number(low), clipped}, low, high);
  }

  Int least_value(Num a) const { return forms_[a].low; }

  /// Show that a truth holds wherever others do. Throws Left if it cannot.
  void show(const vector<Num>& assumed, Num goal, const string& what) {
    vector<Num> parts;
    split(goal, parts);
    for (Num part : parts) {
      if (std::find(assumed.begin(), assumed.end(), part) != assumed.end()) continue;
      vector<Item> items{{part, false, 0}};
      for (Num truth : assumed) items.push_back({negated(truth), false, 0});
      if (!refuted(items, read_by(part))) throw Left(what + ": no case shows it");
      undo({});
    }
  }

 private:
  /// A sum that is at most 0, or an atom whose value is known, though not yet why.
  struct Item { Num id; bool pending; Int value; };
  using Vars = std::bitset<512>;  // which open cells and parameters are read; some may share a bit
  vector<Vars> reads_;
  static constexpr Int MOST_WORK = 40'000'000;
  static constexpr Int MOST_FORMS = 20'000'000;
  std::deque<Form> forms_;
  std::deque<Atom> atoms_;
  vector<Num> form_places_, atom_places_;  // where equal ones are looked for, by their hash
  vector<Int> lows_, highs_;
  struct Change { Num atom; Int low, high, pass; };
  vector<Change> trail_;
  /// What a sum is in the case, as far as a pass knew. A case is narrower than the one that it is part of, so what was
  /// known there still holds; `undo` takes back what is known in the case alone.
  struct Known { Num sum; Int pass; };
  vector<Known> memo_;
  vector<std::pair<Num, Known>> learned_;
  vector<Int> tightened_in_;  // of each atom: in which pass its bounds have changed last
  vector<std::pair<Int, Int>> changed_;  // of each atom: a pass, and when it, or what it reads, changed last before that
  vector<Num> fixed_;  // atoms whose value has become known, in a pass
  bool clash_ = false, tightened_ = false;
  Int pass_ = 0;

  Num form(Int constant, const vector<std::pair<Num, Int>>& parts) {
    if (work += 1 + Int(parts.size()) / 8; work > MOST_WORK) throw Left("it takes too much work");
    uint64_t hash = mixed(0, uint64_t(constant));
    for (auto [atom, by] : parts) hash = mixed(mixed(hash, atom), uint64_t(by));
    Num& place = placed(form_places_, forms_, hash, [&](const Form& f) { return f.constant == constant && f.parts == parts; });
    if (place != none()) return place;
    if (Int(forms_.size()) > MOST_FORMS) throw Left("there are too many numbers");
    Form made{constant, parts, constant, constant, hash};
    for (auto [atom, by] : parts) {
      made.low = ::plus(made.low, ::times(by, by > 0 ? atoms_[atom].low : atoms_[atom].high));
      made.high = ::plus(made.high, ::times(by, by > 0 ? atoms_[atom].high : atoms_[atom].low));
    }
    forms_.push_back(std::move(made));
    return place = Num(forms_.size() - 1);
  }
  Num atom(Kind kind, const vector<Num>& args, Int by, Int low, Int high) {
    if (low == high) return number(low);
    uint64_t hash = mixed(uint64_t(kind), uint64_t(by));
    for (Num arg : args) hash = mixed(hash, arg);
    Num& place = placed(atom_places_, atoms_, hash, [&](const Atom& a) { return a.kind == kind && a.by == by && a.args == args; });
    if (place != none()) return atoms_[place].self;
    Num number_of = place = Num(atoms_.size());
    atoms_.push_back({kind, args, by, low, high, none(), hash});
    return atoms_[number_of].self = form(0, {{number_of, 1}});
  }
  static uint64_t mixed(uint64_t hash, uint64_t more) { return hash = (hash ^ more) * 0x9E3779B97F4A7C15U, hash ^ hash >> 29; }
  /// The place of the one that is equal, or the empty place for it.
  template <typename All, typename Same> static Num& placed(vector<Num>& places, const All& all, uint64_t hash, const Same& same) {
    auto find = [&](uint64_t wanted, const auto& is) -> Num& {
      size_t n = wanted & (places.size() - 1);
      while (places[n] != none() && !is(all[places[n]])) n = (n + 1) & (places.size() - 1);
      return places[n];
    };
    if (places.size() < 2 * all.size() + 2) {
      places.assign(4 * std::bit_ceil(all.size() + 1), none());
      for (size_t n = 0; n < all.size(); ++n) find(all[n].hash, [](auto&) { return false; }) = Num(n);
    }
    return find(hash, [&](auto& each) { return each.hash == hash && same(each); });
  }
  bool is_truth(Num a) const { return forms_[a].low >= 0 && forms_[a].high <= 1; }
  static Int divisor(const Form& f) {
    Int made = 0;
    for (auto& part : f.parts) made = std::gcd(made, part.second);
    return made;
  }
  /// What is true of a sum of a single truth.
  template <typename Is> std::optional<Num> of_one(const Form& f, const Is& is) {
    if (f.parts.size() != 1 || atoms_[f.parts[0].first].low != 0 || atoms_[f.parts[0].first].high != 1) return {};
    bool yes = is(f.constant + f.parts[0].second), no = is(f.constant);
    Num truth = form(0, {{f.parts[0].first, 1}});
    return yes == no ? number(yes) : yes ? truth : negated(truth);
  }
  /// The truths of which a truth consists; `a == b` is two of them.
  void split(Num goal, vector<Num>& parts) {
    auto& f = forms_[goal];
    if (f.parts.size() == 1 && f.parts[0].second == 1 && !f.constant) {
      const Atom& a = atoms_[f.parts[0].first];
      if (a.kind == BOTH) return split(a.args[0], parts), split(a.args[1], parts);
      if (a.kind == IS_0) {
        parts.push_back(at_most_0(a.args[0])), parts.push_back(at_most_0(times(a.args[0], number(-1))));
        return;
      }
    }
    if (!f.parts.empty() || !f.constant) parts.push_back(goal);
  }

  // -- refutation by cases

  void grow() {
    if (memo_.size() == forms_.size() && lows_.size() == atoms_.size()) return;
    while (lows_.size() < atoms_.size()) highs_.push_back(atoms_[lows_.size()].high), lows_.push_back(atoms_[lows_.size()].low);
    tightened_in_.resize(atoms_.size(), 0), changed_.resize(atoms_.size(), {0, 0});
    while (memo_.size() < forms_.size()) memo_.push_back({Num(memo_.size()), 0});
  }
  void tighten(Num atom, Int low, Int high) {
    grow();
    low = std::max(low, lows_[atom]), high = std::min(high, highs_[atom]);
    if (low == lows_[atom] && high == highs_[atom]) return;
    trail_.push_back({atom, lows_[atom], highs_[atom], tightened_in_[atom]});
    lows_[atom] = low, highs_[atom] = high, tightened_in_[atom] = pass_, tightened_ = true;
    if (low > high) clash_ = true;
    else if (low == high && atoms_[atom].kind != VAR) fixed_.push_back(atom);
  }
  struct Mark { size_t changes = 0, learned = 0; };
  Mark mark() const { return {trail_.size(), learned_.size()}; }
  void undo(const Mark& mark) {
    for (; trail_.size() > mark.changes; trail_.pop_back()) {
      auto [atom, low, high, pass] = trail_.back();
      lows_[atom] = low, highs_[atom] = high, tightened_in_[atom] = pass;
    }
    for (; learned_.size() > mark.learned; learned_.pop_back()) memo_[learned_.back().first] = learned_.back().second;
    clash_ = false, fixed_.clear();
  }
  /// In which pass the bounds of what a sum reads have changed last.
  Int last_change(Num f) {
    Int made = 0;
    for (auto [atom, by] : forms_[f].parts) made = std::max(made, last_change_of_atom(atom));
    return made;
  }
  Int last_change_of_atom(Num atom) {
    if (changed_[atom].first == pass_) return changed_[atom].second;
    Int made = tightened_in_[atom];
    for (Num arg : atoms_[atom].args) made = std::max(made, last_change(arg));
    changed_[atom] = {pass_, made};
    return made;
  }
  Int low(Num f) { return end(f, true); }
  Int high(Num f) { return end(f, false); }
  Int end(Num f, bool low) {
    if (lows_.size() < atoms_.size()) grow();
    Int made = forms_[f].constant;
    for (auto [atom, by] : forms_[f].parts) made = ::plus(made, ::times(by, (by > 0) == low ? lows_[atom] : highs_[atom]));
    return made;
  }
  /// A sum with all that the case decides put in.
  Num resolved(Num f) {
    grow();
    const Known now = memo_[f];
    if (now.pass == pass_ || (now.pass && last_change(now.sum) < now.pass)) return now.sum;
    Num made = resolved_once(now.sum);
    grow();
    learned_.emplace_back(f, now), memo_[f] = {made, pass_};
    return made;
  }
  Num resolved_once(Num f) {
    const Form& was = forms_[f];
    if (was.parts.size() == 1 && was.parts[0].second == 1 && !was.constant) return resolved_atom(was.parts[0].first);
    Int constant = was.constant;
    vector<std::pair<Num, Int>> parts;
    bool same = true;
    for (auto [atom, by] : was.parts) {
      Num self = atoms_[atom].self, part = resolved(self);
      same = same && part == self;
      constant = ::plus(constant, ::times(by, forms_[part].constant));
      for (auto [other, times] : forms_[part].parts) parts.emplace_back(other, ::times(by, times));
    }
    if (same) return f;
    std::sort(parts.begin(), parts.end());
    size_t kept = 0;
    for (size_t n = 0; n < parts.size(); ++kept) {
      auto [atom, by] = parts[n++];
      while (n < parts.size() && parts[n].first == atom) by = ::plus(by, parts[n++].second);
      parts[kept] = {atom, by};
    }
    parts.resize(kept);
    std::erase_if(parts, [](auto& part) { return !part.second; });
    return form(constant, parts);
  }
  Num resolved_atom(Num number_of) {
    if (lows_[number_of] == highs_[number_of]) return number(lows_[number_of]);
    const Atom& a = atoms_[number_of];
    auto arg = [&](size_t n) { return resolved(a.args[n]); };
    switch (a.kind) {
      case VAR: return atoms_[number_of].self;
      case AT_MOST_0: { Num n = arg(0); return high(n) <= 0 ? number(1) : low(n) > 0 ? number(0) : at_most_0(n); }
      case IS_0: { Num n = arg(0); return low(n) > 0 || high(n) < 0 ? number(0) : is_0(n); }
      case BOTH: {
        Num first = arg(0);
        Int value;
        return known(first, value) && !value ? first : both(first, arg(1));
      }
      case PRODUCT: { Num first = arg(0); return times(first, arg(1)); }
      case QUOTIENT: return over(arg(0), a.by);
      case CHOICE: break;
    }
    Num index = resolved(a.args.back());
    Int from = std::max(low(index), Int(0)), to = std::min(high(index), Int(a.args.size()) - 2), least = WIDEST, most = -WIDEST;
    if (from > to) return clash_ = true, atoms_[number_of].self;
    vector<Num> options;
    for (Int n = from; n <= to; ++n) {
      options.push_back(arg(size_t(n)));
      least = std::min(least, low(options.back())), most = std::max(most, high(options.back()));
    }
    Num made = choose(plus(index, number(-from)), options, a.low, a.high);
    auto& f = forms_[made];
    if (f.parts.size() == 1 && f.parts[0].second == 1 && !f.constant && atoms_[f.parts[0].first].kind == CHOICE) tighten(f.parts[0].first, least, most);
    return made;
  }
  /// Whether the items contradict each other.
  bool refuted(vector<Item> items, const Vars& core) {
    for (int passes = 0; passes < 30; ++passes) {
      vector<Item> next;
      tightened_ = false, ++pass_;
      for (auto& item : items) {
        if (item.pending) wait(item, next);
        else assume(item.id, next);
        if (clash_) return true;
      }
      for (Num atom : std::exchange(fixed_, {})) follow(atom, next);
      bool same = next.size() == items.size();
      for (size_t n = 0; same && n < items.size(); ++n) same = next[n].id == items[n].id && next[n].pending == items[n].pending;
      items = std::move(next);
      if (same && !tightened_) break;
    }
    if (items.empty()) return false;
    if (combined(items)) return true;
    auto both_refuted = [&](Num one, Num other) {
      for (Num side : {one, other}) {
        Mark here = mark();
        auto more = items;
        more.insert(more.begin(), {side, false, 0});
        bool good = refuted(std::move(more), core);
        undo(here);
        if (!good) return false;
      }
      return true;
    };
    Num cut = none();
    auto order = by_nearness(items, core);
    for (size_t n : order) {
      cut = items[n].pending ? cut_of_atom(items[n].id) : cut_of(items[n].id);
      if (cut != none()) break;
      if (!items[n].pending || atoms_[items[n].id].kind != IS_0) continue;
      Num less = resolved(atoms_[items[n].id].args[0]);
      if (forms_[less].parts.size() < 2) continue;
      items.erase(items.begin() + long(n));
      return both_refuted(plus(less, number(1)), plus(number(1), times(less, number(-1))));
    }
    for (size_t n : order)
      if (cut == none()) cut = middle(items[n].pending ? atoms_[items[n].id].args[0] : items[n].id);
    return cut != none() && both_refuted(cut, plus(number(1), times(cut, number(-1))));
  }
  /// The items, those first that read what the goal reads, then those that read what these read, and so on.
  vector<size_t> by_nearness(const vector<Item>& items, Vars core) {
    vector<size_t> made, rest(items.size());
    std::iota(rest.begin(), rest.end(), 0);
    vector<Vars> reads;
    for (auto& item : items) reads.push_back(item.pending ? read_by_atom(item.id) : read_by(item.id));
    for (size_t before = rest.size() + 1; rest.size() < before;) {
      before = rest.size();
      Vars more = core;
      std::erase_if(rest, [&](size_t n) { return (reads[n] & core).any() && (made.push_back(n), more |= reads[n], true); });
      core = more;
    }
    made.insert(made.end(), rest.begin(), rest.end());
    return made;
  }
  Vars read_by(Num f) {
    Vars made;
    for (auto [atom, by] : forms_[f].parts) made |= read_by_atom(atom);
    return made;
  }
  Vars read_by_atom(Num number_of) {
    reads_.resize(atoms_.size());
    if (reads_[number_of].any()) return reads_[number_of];
    const Atom& a = atoms_[number_of];
    Vars made;
    if (a.kind == VAR) made.set(size_t(a.by) % made.size());
    for (Num arg : a.args) made |= read_by(arg);
    return reads_[number_of] = made;
  }
  /// Take up that a sum is at most 0.
  void assume(Num f, vector<Item>& next) {
    f = resolved(f);
    Int least = low(f);
    const Form& now = forms_[f];
    if (least > 0) clash_ = true;
    if (least > 0 || (high(f) <= 0 && solid(f))) return;
    for (auto [atom, by] : now.parts) {
      Int rest = least - ::times(by, by > 0 ? lows_[atom] : highs_[atom]);  // of the others, the least
      if (by > 0) tighten(atom, lows_[atom], divided(-rest, by));
      else tighten(atom, -divided(-rest, -by), highs_[atom]);
      if (!clash_ && atoms_[atom].kind == CHOICE) prune(atom, next);
      if (clash_) return;
    }
    if (!solid(f) || high(f) > 0) next.push_back({f, false, 0});
    for (Num atom : std::exchange(fixed_, {})) follow(atom, next);
  }
  /// Whether the bounds of the atoms of a sum say all of them, so that what they show needs not be kept beside.
  bool solid(Num f) const {
    auto& parts = forms_[f].parts;
    return std::all_of(parts.begin(), parts.end(), [&](auto& part) { return atoms_[part.first].kind <= BOTH; });
  }
  /// What follows from the value of an atom.
  void follow(Num number_of, vector<Item>& next) {
    const Atom& a = atoms_[number_of];
    bool yes = lows_[number_of] == 1;
    if (a.kind == AT_MOST_0) next.push_back({yes ? a.args[0] : plus(number(1), times(a.args[0], number(-1))), false, 0});
    else if (a.kind == IS_0 && yes) next.push_back({a.args[0], false, 0}), next.push_back({times(a.args[0], number(-1)), false, 0});
    else if (a.kind == BOTH && yes) next.push_back({negated(a.args[0]), false, 0}), next.push_back({negated(a.args[1]), false, 0});
    else next.push_back({number_of, true, lows_[number_of]});
  }
  /// Look whether it is known by now why an atom has its value.
  void wait(Item item, vector<Item>& next) {
    const Atom& a = atoms_[item.id];
    Num first = resolved(a.kind == CHOICE ? a.args.back() : a.args[0]);
    Int value;
    if (a.kind == IS_0) {
      if (known(first, value)) { clash_ = !value; return; }
      if ((low(first) > 0 || high(first) < 0) && solid(first)) return;
      const Form f = forms_[first];
      if (f.parts.size() == 1) {
        auto [x, by] = f.parts[0];
        if (f.constant % by) return;
        Int hole = -f.constant / by;
        tighten(x, lows_[x] + (lows_[x] == hole), highs_[x] - (highs_[x] == hole));
      }
    } else if (a.kind == BOTH) {
      Num second = resolved(a.args[1]);
      bool first_known = known(first, value);
      if (first_known && !value) return;
      if (first_known) { next.push_back({second, false, 0}); return; }
      if (known(second, value)) {
        if (value) next.push_back({first, false, 0});
        return;
      }
    } else if (a.kind == CHOICE) {
      if (known(first, value)) {
        Num more = plus(a.args.at(size_t(value)), number(-item.value));
        next.push_back({more, false, 0}), next.push_back({times(more, number(-1)), false, 0});
        return;
      }
      prune(item.id, next);
    } else {
      Num now = plus(a.kind == PRODUCT ? times(first, resolved(a.args[1])) : over(first, a.by), number(-item.value));
      if (low(now) > 0 || high(now) < 0) { clash_ = true; return; }
    }
    next.push_back(item);
  }
  /// Leave out the first or the last of what an atom chooses from, if its value is another.
  void prune(Num number_of, vector<Item>& next) {
    const Atom& a = atoms_[number_of];
    Num index = resolved(a.args.back());
    Int from = std::max(low(index), Int(0)), to = std::min(high(index), Int(a.args.size()) - 2);
    auto other = [&](Int n) { Num option = resolved(a.args.at(size_t(n))); return low(option) > highs_[number_of] || high(option) < lows_[number_of]; };
    if (from > to || (from == to && other(from))) clash_ = true;
    else if (from < to && other(from)) next.push_back({plus(number(from + 1), times(index, number(-1))), false, 0});
    else if (from < to && other(to)) next.push_back({plus(index, number(1 - to)), false, 0});
  }
  /// Whether some of the sums, each as often as an atom falls out, are together more than 0.
  bool combined(const vector<Item>& items) {
    vector<Num> sums, work;
    for (auto& item : items)
      if (!item.pending) sums.push_back(item.id);
    for (size_t n = 0; n < sums.size() && n < 2; ++n) work.push_back(sums[n]);
    std::set<Num> met(work.begin(), work.end());
    for (size_t n = 0; n < work.size() && n < 12; ++n)
      for (Num other : sums) {
        const Form &a = forms_[work[n]], &b = forms_[other];
        for (size_t i = 0, k = 0; i < a.parts.size() && k < b.parts.size();) {
          auto [x, by] = a.parts[i];
          auto [y, with] = b.parts[k];
          if (x != y) { x < y ? ++i : ++k; continue; }
          ++i, ++k;
          if ((by > 0) == (with > 0)) continue;
          Int shared = std::gcd(by, with);
          size_t parts = 0;
          if (low_of_sum(a, std::abs(with / shared), b, std::abs(by / shared), parts) > 0) return true;
          if (parts > a.parts.size() + 1) break;
          Num sum = plus(times(work[n], number(std::abs(with / shared))), times(other, number(std::abs(by / shared))));
          if (met.insert(sum).second) work.push_back(sum);
          break;
        }
      }
    return false;
  }
  /// The least value of two sums together, each so many times, and how many atoms are left in it.
  Int low_of_sum(const Form& a, Int m, const Form& b, Int n, size_t& parts) const {
    Int made = ::plus(::times(a.constant, m), ::times(b.constant, n));
    for (size_t i = 0, k = 0; i < a.parts.size() || k < b.parts.size();) {
      bool left = k == b.parts.size() || (i < a.parts.size() && a.parts[i].first <= b.parts[k].first);
      Num atom = left ? a.parts[i].first : b.parts[k].first;
      Int by = left ? ::times(a.parts[i++].second, m) : 0;
      if (k < b.parts.size() && b.parts[k].first == atom) by = ::plus(by, ::times(b.parts[k++].second, n));
      parts += by != 0;
      made = ::plus(made, ::times(by, by > 0 ? lows_[atom] : highs_[atom]));
    }
    return made;
  }
  /// A sum that is at most 0 in one case and above it in the other, and decides something of a sum, or of an atom.
  Num cut_of(Num f) {
    for (auto [atom, by] : forms_[f].parts)
      if (Num cut = atoms_[atom].kind == VAR ? none() : cut_of_atom(atom); cut != none()) return cut;
    return none();
  }
  Num cut_of_atom(Num number_of) {
    const Atom& a = atoms_[number_of];
    if (lows_[number_of] < highs_[number_of] && (a.kind == AT_MOST_0 || a.kind == IS_0)) return atoms_[number_of].self;
    if (a.kind == CHOICE) {
      Num index = resolved(a.args.back());
      Num cut = cut_of(index);
      return cut != none() ? cut : middle(index);
    }
    for (Num arg : a.args) {
      Num now = resolved(arg), cut = cut_of(now);
      if (cut == none() && a.kind != IS_0 && a.kind != AT_MOST_0) cut = middle(now);
      if (cut != none()) return cut;
    }
    return none();
  }
  /// The first open atom of a sum, less the middle of its values.
  Num middle(Num f) {
    for (auto [atom, by] : forms_[resolved(f)].parts)
      if (lows_[atom] < highs_[atom]) {
        Int half = lows_[atom] + (highs_[atom] - lows_[atom]) / 2;
        return form(-half, {{atom, 1}});
      }
    return none();
  }
};
// -- playing ----------------------------------------------------------------------------------------------------------

class Play {
 public:
  explicit Play(Game& rules) : game(rules) {}
  Game& game;

  State initial() const {
    State made;
    for (auto& field : game.fields) made.insert(made.end(), field.start.begin(), field.start.end());
    return made;
  }
  static bool over(const State& state) { return state.at(1) != 0; }
  const Phase& phase(const State& state) const { return game.phases.at(size_t(state.at(0))); }
  Machine<Plain> machine(const State& state, std::optional<size_t> ident = {}) {
    Machine<Plain> made(game, plain_);
    made.cells = state;
    if (ident) made.bind(game.action_of(*ident), game.values(game.action_of(*ident), *ident));
    return made;
  }
  Int value(size_t term, const State& state) { return machine(state).value(term); }
  bool legal(const State& state, size_t ident) {
    auto& action = game.action_of(ident);
    if (over(state) || !action.phases.contains(state[0])) return false;
    auto made = machine(state, ident);
    made.ask_legal(action, phase(state).chance);
    return made.met;
  }
  vector<size_t> all_legal(const State& state) {
    vector<size_t> made;
    for (auto& action : game.actions)
      for (size_t ident = action.first; !over(state) && action.phases.contains(state[0]) && ident < action.first + action.count; ++ident)
        if (legal(state, ident)) made.push_back(ident);
    return made;
  }
  /// Who acts: a seat, or -1 for chance.
  Int actor(const State& state) { return phase(state).chance ? -1 : value(phase(state).actor, state); }
  Int weight(const State& state, size_t ident) {
    auto& action = game.action_of(ident);
    auto made = machine(state, ident);
    made.ask_legal(action, false);
    return action.weight ? made.value(*action.weight) : 1;
  }
  State effects(const State& before, size_t ident) { return ran(machine(before, ident), game.action_of(ident).does); }
  State after_phase(const State& state) { return ran(machine(state), phase(state).does); }
  /// The state behind automatic phases; all that come on the way, if wanted.
  State settled(State state, vector<State>* on_the_way = nullptr) {
    for (int left = MOST_PHASES; !over(state) && phase(state).automatic; --left) {
      if (!left) throw Fault("automatic phases do not end", false);
      state = after_phase(state);
      if (on_the_way) on_the_way->push_back(state);
    }
    return state;
  }
  State next(const State& state, size_t ident) { return settled(effects(state, ident)); }
  State start() { return settled(initial()); }
  /// The states of a line of legal actions, the first of them included.
  vector<State> replayed(const vector<size_t>& idents) {
    vector<State> made{start()};
    for (size_t ident : idents) {
      if (ident >= game.ground || !legal(made.back(), ident)) throw Refused("action " + std::to_string(made.size()) + " is not legal");
      made.push_back(next(made.back(), ident));
    }
    return made;
  }
  /// What a seat gets at the end of a game.
  Int returned(const State& state, Int seat) {
    if (game.payoffs) return value(game.payoffs->at(size_t(seat)), state);
    auto& ending = game.endings.at(size_t(state[1]) - 1);
    if (ending.kind != "win") return ending.kind == "loss" ? -1 : 0;
    if (ending.shared || !ending.winner) return 1;
    Int winner = value(*ending.winner, state);
    for (auto& team : game.teams)
      if (std::find(team.begin(), team.end(), seat) != team.end()) return std::find(team.begin(), team.end(), winner) != team.end() ? 1 : -1;
    return winner == seat ? 1 : -1;
  }

 private:
  Plain plain_;
  static State ran(Machine<Plain> machine, size_t block) { return machine.run(block), machine.cells; }
};

// -- events and laws --------------------------------------------------------------------------------------------------

using Idents = std::set<size_t>;
struct Target { size_t condition; std::optional<Idents> idents; };
struct Law {
  Idents idents;
  std::optional<Int> phase;
  std::optional<Idents> can;
  size_t when, needs, leads;
  std::optional<size_t> legal;
  vector<std::pair<size_t, size_t>> changes;
  bool limited = false;  // by `only`: to the cells that may change, and places of cells
  std::set<size_t> cells;
  vector<std::pair<size_t, size_t>> places;  // the first cell of a field, and a term for the number of one of its cells
};

/// What the words of a setting's certificates mean, as the file says it (`reads`).
class Readings {
 public:
  Readings(Game& game, const Json& reads) : game_(game) {
    for (auto& row : reads.all())
      if (row.all().size() != 3 || !data_.emplace(row.at(0).str() + " " + row.at(1).dump(), row.at(2)).second)
        throw Unreadable("expected rows of a kind, words and data, each once");
  }
  std::map<string, string> used;  // what was looked up since it was last cleared
  bool say(const std::map<string, string>& others) const {
    return std::all_of(others.begin(), others.end(), [&](auto& other) { auto mine = data_.find(other.first); return mine != data_.end() && mine->second.dump() == other.second; });
  }
  const Json& data(const string& kind, const Json& words) {
    auto known = data_.find(kind + " " + words.dump());
    if (known == data_.end()) throw Refused("`reads` does not say what a " + kind + " means: " + words.dump());
    used[known->first] = known->second.dump();
    return known->second;
  }
  size_t condition(const Json& words, const string& kind = "condition") { return ClaimTerms(game_).make(data(kind, words)); }
  Target target(const Json& of, const Json& within) {
    auto& said = data("target", Json{Json::list, 0, "", {of, within}, {}}).only({"name", "condition", "actions", "within"});
    ClaimTerms terms(game_);
    size_t limit = said.at("within").kind == Json::null ? game_.constant(1) : terms.make(said.at("within"));
    if (said.at("actions").kind != Json::null) return {limit, idents(said.at("actions"))};
    return {terms.both(terms.make(said.at("condition")), limit), {}};
  }
  Target event(const Json& about) {
    about.only({"kind", "of", "within", "number", "relation", "value"});
    Target target = Readings::target(about.at("of"), about.at("within"));
    if (about.at("number").str().empty()) return target;
    static const std::map<string, Code> signs{{"<", LESS}, {"==", SAME}, {">", LESS}};
    const string& sign = about.at("relation").str();
    if (!signs.contains(sign)) throw Refused("expected <, == or >");
    size_t number = condition(about.at("number"), "number"), value = game_.constant(about.at("value").whole());
    if (sign == ">") std::swap(number, value);
    ClaimTerms terms(game_);
    target.condition = terms.both(target.condition, terms.apply(signs.at(sign), number, value));
    return target;
  }
  Law law(const Json& words) {
    auto& said = data("law", words).only({"actions"}, {"phase", "can", "when", "needs", "leads", "legal", "changes", "only"});
    Law law{idents(said.at("actions"))};
    std::map<string, size_t> names;
    std::set<size_t> firsts;
    for (size_t ident : law.idents) firsts.insert(game_.action_of(ident).first);
    for (size_t n = 0; firsts.size() == 1 && n < game_.action_of(*firsts.begin()).params.size(); ++n) {
      size_t local = game_.action_of(*firsts.begin()).params[n].local;
      names[game_.locals.at(local).name] = game_.add({LOCAL, local});
    }
    ClaimTerms terms(game_, names, true);
    auto read = [&](const char* key) { return said.get(key) ? terms.make(said.at(key)) : game_.constant(1); };
    law.when = read("when"), law.needs = read("needs"), law.leads = read("leads");
    if (said.get("legal")) law.legal = read("legal");
    if (said.get("can")) law.can = idents(said.at("can"));
    if (said.get("phase")) law.phase = Int(below(said.at("phase").index(), game_.phases.size()));
    if (law.phase && !game_.phases[size_t(*law.phase)].automatic) throw Refused("no such automatic phase");
    if (said.get("changes"))
      for (auto& change : said.at("changes").all()) law.changes.emplace_back(terms.make(change.at(0)), terms.make(change.at(1)));
    if ((law.limited = said.get("only"))) allow(law, said.at("only"), terms);
    return law;
  }
  Idents idents(const Json& numbers) const {
    Idents made;
    for (size_t ident : numbers.indices()) made.insert(ident < game_.ground ? ident : throw Refused("the game has no such action"));
    return made;
  }

 private:
  Game& game_;
  std::map<string, Json> data_;

  void allow(Law& law, const Json& only, ClaimTerms& terms) {
    law.cells.insert(0);
    for (auto& each : only.all())
      if (each.at(0).str() == "cell") {
        auto [code, field, index] = terms.cell(each);
        if (code != READ) throw Refused("a table does not change");
        law.places.emplace_back(game_.fields[field].offset, index);
      } else
        for (auto& field : game_.fields)
          for (size_t n = 0; field.name == each.at(1).str() && n < field.start.size(); ++n) law.cells.insert(field.offset + n);
  }
};

/// What makes a law good of a step: a truth in the domain of a machine that stands behind it.
template <typename Domain> vector<typename Domain::Num> law_kept(const Law& law, Machine<Domain>& machine) {
  auto& d = machine.d;
  auto after = std::exchange(machine.cells, machine.earlier);
  vector<typename Domain::Num> made{machine.condition(law.needs), law.legal ? machine.condition(*law.legal) : d.number(1)}, more, places;
  for (auto& [number, by] : law.changes) more.push_back(d.plus(machine.value(number), machine.value(by)));
  for (auto& [offset, index] : law.places) places.push_back(d.plus(d.number(Int(offset)), machine.value(index)));
  machine.cells = after;
  made.push_back(machine.condition(law.leads));
  for (size_t n = 0; n < more.size(); ++n) made.push_back(d.is_0(machine.difference(machine.value(law.changes[n].first), more[n])));
  for (size_t n = 0; law.limited && n < machine.cells.size(); ++n) {
    if (law.cells.contains(n) || machine.cells[n] == machine.earlier[n]) continue;
    auto other = machine.negated(d.is_0(machine.difference(machine.cells[n], machine.earlier[n])));
    for (auto place : places) other = d.both(other, machine.negated(d.is_0(machine.difference(place, d.number(Int(n))))));
    made.push_back(machine.negated(other));
  }
  return made;
}

/// Laws in a game that is played.
class LawCheck {
 public:
  LawCheck(Play& play, Law said) : law(std::move(said)), play_(play) {}
  Law law;

  /// Whether a legal action, or an automatic phase that follows it, breaks the law.
  bool breaks(const State& before, size_t ident) {
    vector<State> states{play_.effects(before, ident)};
    if (law.idents.contains(ident) && wrong(before, states[0], ident)) return true;
    play_.settled(states[0], &states);
    return phase_breaks(states);
  }
  bool at_the_start() {
    vector<State> states{play_.initial()};
    if (law.phase) play_.settled(states[0], &states);
    return phase_breaks(states);
  }
  /// Whether somebody is to act where the law wants an action to be legal that is not.
  bool barred(const State& state) {
    if (Play::over(state) || (!law.can && !law.legal)) return false;
    if (law.can) return play_.value(law.when, state) && std::none_of(law.can->begin(), law.can->end(), [&](size_t ident) { return play_.legal(state, ident); });
    return std::any_of(law.idents.begin(), law.idents.end(), [&](size_t ident) {
      auto machine = play_.machine(state, ident);
      return !play_.legal(state, ident) && machine.condition(law.when) && machine.condition(*law.legal);
    });
  }

 private:
  Play& play_;
  bool wrong(const State& before, const State& after, std::optional<size_t> ident) {
    auto machine = play_.machine(before, ident);
    if (!machine.condition(law.when)) return false;
    machine.earlier = after, std::swap(machine.cells, machine.earlier);
    auto kept = law_kept(law, machine);
    return std::find(kept.begin(), kept.end(), 0) != kept.end();
  }
  bool phase_breaks(const vector<State>& states) {
    for (size_t n = 1; law.phase && n < states.size(); ++n)
      if (states[n - 1][0] == *law.phase && wrong(states[n - 1], states[n], {})) return true;
    return false;
  }
};
// -- fractions --------------------------------------------------------------------------------------------------------

struct Fraction {
  __int128 over = 0, under = 1;
  Fraction() = default;
  Fraction(__int128 a, __int128 b) : over(a), under(b) {
    while (b) a = std::exchange(b, a % b);
    if (a < 0) a = -a;
    if (a) over /= a, under /= a;
  }
  explicit Fraction(const string& text) {
    size_t slash = std::min(text.find('/'), text.size());
    string top = text.substr(0, slash), low = slash < text.size() ? text.substr(slash + 1) : "1";
    auto whole = [](const string& part) { return !part.empty() && part.find_first_not_of("0123456789") == string::npos; };
    if (!whole(top.substr(top[0] == '-')) || !whole(low) || low[0] == '0') throw Unreadable("expected a fraction");
    *this = Fraction(as_int(top), as_int(low));
  }
  bool operator<(const Fraction& other) const { return times(over, other.under) < times(other.over, under); }
  Fraction operator+(const Fraction& other) const { return {plus(times(over, other.under), times(other.over, under)), times(under, other.under)}; }
  Fraction operator*(Int number) const { return {times<__int128>(over, number), under}; }
};

// -- the kinds of certificates (evidence.md) --------------------------------------------------------------------------

class Checker {
 public:
  Checker(Game& game, Readings& reads) : game_(game), play_(game), reads_(reads) {}

  void check(const Json& certificate) {
    const string& kind = certificate.at("kind").str();
    if (kind == "transcript") transcript(certificate.only({"kind", "about", "idents", "words"}));
    else if (kind == "circle") circle(certificate.only({"kind", "before", "idents", "words"}));
    else if (kind == "worked example") example(certificate.only({"kind", "example", "played"}));
    else if (kind == "invariant") invariant(certificate.only({"kind", "about", "layers", "integers", "splits", "numbers"}));
    else if (kind == "closed set") closed_set(certificate.only({"kind", "about", "listing"}, {"vector"}));
    else if (kind == "failing line") failing_line(certificate.only({"kind", "of", "within", "idents", "words"}, {"before"}));
    else throw Left("another kind");
  }

 private:
  Game& game_;
  Play play_;
  Readings& reads_;

  static string property(const Json& about) {
    const string& name = about.only({"kind", "name"}).at("name").str();
    if (name != "bounds" && name != "no dead end" && name != "automatic phases end") throw Refused("no such property");
    return name;
  }

  // -- lines of play

  /// The actions of a line, whose words are those that stand beside them.
  vector<size_t> line(const Json& certificate) {
    vector<size_t> idents;
    for (auto& each : certificate.at("idents").all()) {
      if (each.whole() < 0 || each.whole() >= Int(game_.ground)) throw Refused("the game has no such action");
      idents.push_back(each.index());
    }
    vector<string> words;
    for (size_t ident : idents) words.push_back(game_.show(ident));
    if (words != certificate.at("words").strings()) throw Refused("the words are not those of the actions");
    return idents;
  }
  /// The state behind the first `before` actions comes again behind all of them.
  void circle(const Json& certificate) {
    auto idents = line(certificate);
    Int before = certificate.at("before").whole();
    if (before < 0 || before >= Int(idents.size())) throw Refused("no action lies in the circle");
    auto states = play_.replayed(idents);
    if (states[size_t(before)] != states.back()) throw Refused("another state follows");
  }
  void transcript(const Json& certificate) {
    auto idents = line(certificate);
    if (!shows(certificate.at("about"), idents)) throw Refused("the line does not show it");
  }
  bool shows(const Json& about, const vector<size_t>& idents) {
    const string& subject = about.at("kind").str();
    if (subject == "property") return breaks(property(about), idents);
    if (subject == "length") {
      Int most = about.only({"kind", "most"}).at("most").whole();
      return play_.replayed(idents), Int(idents.size()) > most;
    }
    auto states = [&] { return play_.replayed(idents); };
    if (subject == "event") {
      Target target = reads_.event(about);
      auto all = states();
      if (!target.idents) return play_.value(target.condition, all.back()) != 0;
      return !idents.empty() && target.idents->contains(idents.back()) && play_.value(target.condition, all[all.size() - 2]);
    }
    if (subject != "law") throw Refused("no line is about this");
    LawCheck law(play_, reads_.law(about.only({"kind", "law"}).at("law")));
    auto all = states();
    if (law.barred(all.back())) return true;
    return idents.empty() ? law.at_the_start() : law.breaks(all[all.size() - 2], idents.back());
  }
  bool breaks(const string& name, vector<size_t> idents) {
    std::optional<size_t> last;
    if (!idents.empty()) last = idents.back(), idents.pop_back();
    State before = last ? play_.replayed(idents).back() : play_.initial();
    if (last && (*last >= game_.ground || !play_.legal(before, *last))) throw Refused("the last action is not legal");
    try {
      State state = last ? play_.next(before, *last) : play_.start();
      return !Play::over(state) && play_.all_legal(state).empty() && name == "no dead end";
    } catch (const Fault& fault) {
      if (fault.bounds) return name == "bounds";
      if (name != "automatic phases end") throw;
    }
    return comes_again(last ? play_.effects(before, *last) : before);
  }
  /// Whether automatic phases come back to a state: each follows from the state alone.
  bool comes_again(State state) {
    std::set<State> seen;
    for (int n = 0; n <= MOST_PHASES && !Play::over(state) && play_.phase(state).automatic; ++n) {
      if (!seen.insert(state).second) return true;
      state = play_.after_phase(state);
    }
    return false;
  }
  void example(const Json& certificate) {
    if (plays(certificate.at("example")) != certificate.at("played").yes()) throw Refused("the example is not played, or does not fail, as stated");
  }
  bool plays(const Json& example) {
    example.only({"line"}, {"end", "then"});
    std::map<string, vector<size_t>> named;
    for (size_t ident = 0; ident < game_.ground; ++ident) {
      string words = game_.show(ident);
      named[words].push_back(ident), named[words + " [#" + std::to_string(ident) + "]"].push_back(ident);
    }
    State state = play_.start();
    for (auto& entry : example.at("line").all()) {
      string words = entry.kind == Json::number ? std::to_string(entry.value) : entry.str();
      if (words.starts_with("now: ")) {
        if (!holds(words.substr(5), state)) return false;
        continue;
      }
      bool refused = words.starts_with("refused: ");
      if (refused) words = words.substr(9);
      vector<size_t> legal;
      for (size_t ident : named[words])
        if (play_.legal(state, ident)) legal.push_back(ident);
      if (refused && (!legal.empty() || named[words].empty())) return false;
      if (refused) continue;
      if (legal.size() > 1) throw Refused("`" + words + "` names several legal actions");
      if (legal.empty()) return false;
      try {
        state = play_.next(state, legal[0]);
      } catch (const Fault& fault) {
        if (fault.bounds || comes_again(play_.effects(state, legal[0]))) return false;
        throw;
      }
    }
    if (auto end = example.get("end"); end && end->kind != Json::null && end->str() != "") {
      string result = Play::over(state) ? game_.endings.at(size_t(state[1]) - 1).reason + " |" : "";
      for (Int seat = 0; seat < game_.players && Play::over(state); ++seat) result += " " + std::to_string(play_.returned(state, seat));
      if (end->words != result) return false;
    }
    for (auto& text : example.get("then") ? example.at("then").strings() : vector<string>{})
      if (!holds(text, state)) return false;
    return true;
  }
  bool holds(const string& text, const State& state) { return play_.value(reads_.condition(Json{Json::text, 0, text, {}, {}}), state) != 0; }

  // -- what every small step keeps
  //
  // The theorem: conditions that hold before anything happens, and that each small step without a fault keeps from any
  // cells within their bounds, hold always. `Forms::show` shows of open cells what is true of all of them.

  using Num = Forms::Num;
  struct Step {
    const Action* action;  // or an automatic phase
    Int phase;
    std::optional<size_t> ident{};
  };
  vector<Step> all_steps() const {
    vector<Step> made;
    for (auto& action : game_.actions)
      for (Int phase : action.phases) made.push_back({&action, phase});
    for (size_t n = 0; n < game_.phases.size(); ++n)
      if (game_.phases[n].automatic) made.push_back({nullptr, Int(n)});
    return made;
  }
  /// A state whose cells are open, and what is assumed of it and of the step from it.
  struct Open {
    Forms forms;
    Machine<Forms> machine;
    vector<Num> assumed;
    explicit Open(const Game& game) : machine(game, forms) {
      for (auto& field : game.fields)
        for (size_t n = 0; n < field.start.size(); ++n) machine.cells.push_back(forms.variable(field.low, field.high));
    }
    void assume(const vector<size_t>& conditions) {
      for (size_t term : conditions) assumed.push_back(machine.condition(term));
    }
    void show(Num goal, const string& what) { forms.show(assumed, goal, what); }
  };
  string name_of(const Step& step) const { return "`" + (step.action ? step.action->name : game_.phases[size_t(step.phase)].name) + "`"; }
  /// Ask of each state from which a step of a kind is legal, and of the state behind it.
  template <typename Ask> void after_step(const Step& step, const vector<size_t>& conditions, const Ask& ask, bool bounds = false) {
    Open open(game_);
    auto& m = open.machine;
    auto& d = open.forms;
    m.cells[0] = d.number(step.phase), m.cells[1] = d.number(0), m.earlier = m.cells;
    if (step.action) {
      vector<Num> values;
      for (size_t n = 0; n < step.action->params.size(); ++n) {
        auto& local = game_.locals.at(step.action->params[n].local);
        values.push_back(step.ident ? d.number(game_.values(*step.action, *step.ident)[n]) : d.variable(local.low, local.high));
      }
      m.bind(*step.action, values);
      m.ask_legal(*step.action, game_.phases[size_t(step.phase)].chance);
    }
    auto env = m.env;
    vector<Num> asking = std::exchange(d.faults, {});
    m.run(step.action ? step.action->does : game_.phases[size_t(step.phase)].does);
    vector<Num> running = std::exchange(d.faults, {});
    std::swap(m.cells, m.earlier);
    m.env = env;
    if (!bounds) open.assumed.push_back(m.met);
    if (!bounds) for (Num fault : running) open.assumed.push_back(d.negated(fault));
    open.assume(conditions);
    std::swap(m.cells, m.earlier);
    if (bounds) {
      for (Num fault : asking) open.show(d.negated(fault), name_of(step));
      open.assumed.insert(open.assumed.begin(), m.met);
      for (Num fault : running) open.show(d.negated(fault), name_of(step)), open.assumed.push_back(d.negated(fault));
      return;
    }
    ask(open);
  }
  Num at_rest(Machine<Forms>& m) const {
    Num due = m.d.number(0);
    for (size_t n = 0; n < game_.phases.size(); ++n)
      if (game_.phases[n].automatic) due = m.d.plus(due, m.d.is_0(m.difference(m.cells[0], m.d.number(Int(n)))));
    return m.negated(m.d.both(m.d.is_0(m.cells[1]), m.d.truth(due)));
  }
  Num legal(Machine<Forms>& m, size_t ident) const {
    auto& action = game_.action_of(ident);
    vector<Num> values;
    for (Int value : game_.values(action, ident)) values.push_back(m.d.number(value));
    m.bind(action, values);
    Num some = m.d.number(0);
    for (Int phase : action.phases) {
      m.ask_legal(action, game_.phases[size_t(phase)].chance);
      some = m.d.plus(some, m.d.both(m.d.is_0(m.difference(m.cells[0], m.d.number(phase))), m.met));
    }
    return m.d.both(m.d.is_0(m.cells[1]), m.d.truth(some));
  }
  void invariant(const Json& certificate) {
    vector<vector<size_t>> layers;
    vector<size_t> all;
    for (auto& layer : certificate.at("layers").all()) {
      layer.only({"conjuncts", "integers", "splits", "on"});
      vector<size_t> mine, given;
      for (auto& text : layer.at("conjuncts").all()) {
        mine.push_back(reads_.condition(text));
        if (!play_.value(mine.back(), play_.initial())) throw Refused("`" + text.str() + "` does not hold at the start");
      }
      for (size_t n : layer.at("on").indices()) {
        if (n >= layers.size()) throw Refused("a layer builds on one that does not come before it");
        given.insert(given.end(), layers[n].begin(), layers[n].end());
      }
      given.insert(given.end(), mine.begin(), mine.end());
      for (auto& step : all_steps())
        after_step(step, given, [&](Open& open) {
          for (size_t term : mine) open.show(open.machine.condition(term), name_of(step));
        });
      layers.push_back(mine), all.insert(all.end(), mine.begin(), mine.end());
    }
    follows(certificate, certificate.at("about"), all);
  }
  void follows(const Json& certificate, const Json& about, const vector<size_t>& all) {
    const string& subject = about.at("kind").str();
    vector<size_t> numbers;
    for (auto& text : certificate.at("numbers").all()) numbers.push_back(reads_.condition(text));
    if (subject == "event") {
      Target target = reads_.event(about);
      for (size_t ident : target.idents.value_or(Idents{0})) {
        Open open(game_);
        auto& m = open.machine;
        open.assumed = {m.condition(target.condition), at_rest(m)};
        if (target.idents) open.assumed.push_back(legal(m, ident));
        open.assume(all);
        open.show(m.d.number(0), "a state");
      }
    } else if (subject == "property" && property(about) == "bounds") {
      for (auto& step : all_steps()) after_step(step, all, [](Open&) {}, true);
    } else if (subject == "property" && property(about) == "no dead end") {
      for (size_t n = 0; n < game_.phases.size(); ++n) {
        if (game_.phases[n].automatic) continue;
        Open open(game_);
        auto& m = open.machine;
        m.cells[0] = m.d.number(Int(n)), m.cells[1] = m.d.number(0);
        for (auto& action : game_.actions)
          for (size_t ident = action.first; action.phases.contains(Int(n)) && ident < action.first + action.count; ++ident)
            open.assumed.push_back(m.negated(legal(m, ident)));
        open.assume(all);
        open.show(m.d.number(0), "a dead end in phase `" + game_.phases[n].name + "`");
      }
    } else if (subject == "property") {
      for (auto& step : all_steps())
        if (!step.action) after_step(step, all, [&](Open& open) {
          auto& m = open.machine;
          open.assumed.insert(open.assumed.begin(), m.negated(at_rest(m)));
          open.show(falls(m, numbers), name_of(step));
        });
    } else if (subject == "length") {
      if (numbers.size() != 1) throw Refused("expected one number that every step lowers");
      Open open(game_);
      Int value, least = open.forms.least_value(open.machine.value(numbers[0]));
      value = play_.value(numbers[0], play_.initial());
      if (value - least > about.only({"kind", "most"}).at("most").whole()) throw Left("the number may fall more often");
      for (auto& step : all_steps()) after_step(step, all, [&](Open& open) { open.show(falls(open.machine, numbers), name_of(step)); });
    } else if (subject == "law") {
      auto& law = about.only({"kind", "law"}).at("law");
      if (law.kind == Json::list && law.items.empty()) throw Refused("a list of no laws says nothing");
      for (auto& each : law.kind == Json::list ? law.items : vector<Json>{law}) obeyed(reads_.law(each), all);
    } else if (subject == "secrecy") throw Left("secrets");
    else throw Refused("no invariant is about this");
  }
  /// Whether a step lowers the first of some numbers that it changes.
  static Num falls(Machine<Forms>& m, const vector<size_t>& numbers) {
    Num found = m.d.number(0);
    for (size_t n = numbers.size(); n-- > 0;) {
      Num now = m.value(numbers[n]);
      auto after = std::exchange(m.cells, m.earlier);
      Num more = m.difference(now, m.value(numbers[n]));
      m.cells = after;
      Num lower = m.d.at_most_0(m.d.plus(more, m.d.number(1)));
      found = m.negated(m.d.both(m.negated(lower), m.negated(m.d.both(m.d.is_0(more), found))));
    }
    return found;
  }
  void obeyed(const Law& law, const vector<size_t>& all) {
    auto acts = [&](Open& open) {
      auto& m = open.machine;
      open.assumed = {m.condition(law.when), m.d.is_0(m.cells[1]), at_rest(m)};
    };
    if (law.can) {
      Open open(game_);
      acts(open);
      for (size_t ident : *law.can) open.assumed.push_back(open.machine.negated(legal(open.machine, ident)));
      open.assume(all);
      open.show(open.forms.number(0), "a decision that may be refused");
    }
    for (size_t ident : law.legal ? law.idents : Idents{}) {
      Open open(game_);
      auto& m = open.machine;
      Num may = legal(m, ident);
      acts(open);
      open.assumed.push_back(m.condition(*law.legal));
      open.assume(all);
      open.show(may, "a decision that may be refused");
    }
    for (auto& step : all_steps()) {
      auto good = [&](Open& open) {
        auto& m = open.machine;
        auto after = std::exchange(m.cells, m.earlier);
        open.assumed.insert(open.assumed.begin(), m.condition(law.when));
        m.cells = after;
        for (Num kept : law_kept(law, m)) open.show(kept, name_of(step));
      };
      if (!step.action) {
        if (law.phase == step.phase) after_step(step, all, good);
        continue;
      }
      auto lower = law.idents.lower_bound(step.action->first), upper = law.idents.lower_bound(step.action->first + step.action->count);
      if (size_t(std::distance(lower, upper)) == step.action->count) after_step(step, all, good);
      else for (; lower != upper; ++lower) after_step({step.action, step.phase, *lower}, all, good);
    }
  }

  // -- closed sets
  //
  // The theorem: take a set of states that holds the start, and with each state every state that one decision leads to.
  // Then every game stays in it. A vector over it bounds a chance if one step of best play keeps it.

  struct Hash {
    size_t operator()(const State& state) const {
      uint64_t made = 1469598103934665603U;
      for (Int cell : state) made = (made ^ uint64_t(cell)) * 1099511628211U;
      return made;
    }
  };
  struct Move { size_t ident, to; };
  /// All states that games come to, the decisions in each, and how many decisions each is away from the start.
  struct Closed {
    std::unordered_map<State, size_t, Hash> rows;
    vector<const State*> states;
    vector<vector<Move>> moves;
    vector<Int> away;
  };
  /// The closed set of so many states, by those of the legal actions that are allowed.
  using Allowed = std::function<vector<size_t>(const State&)>;
  Closed closed(Int wanted, Int most, const Allowed& allowed) {
    if (wanted < 1 || wanted > most) throw Refused("so many states are not gone through");
    Closed all;
    auto add = [&](const State& state, Int away) {
      auto [row, fresh] = all.rows.emplace(state, all.rows.size());
      if (fresh) all.states.push_back(&row->first), all.away.push_back(away);
      if (Int(all.rows.size()) > wanted) throw Refused("there are more states than the evidence speaks of");
      return row->second;
    };
    add(play_.start(), 0);
    for (size_t n = 0; n < all.states.size(); ++n) {
      vector<Move> moves;
      for (size_t ident : allowed(*all.states[n])) moves.push_back({ident, add(play_.next(*all.states[n], ident), all.away[n] + 1)});
      all.moves.push_back(moves);
    }
    if (Int(all.states.size()) != wanted) throw Refused("there are " + std::to_string(all.states.size()) + " states");
    return all;
  }
  Closed closed(Int wanted, Int most = MOST_STATES) {
    return closed(wanted, most, [&](const State& state) { return play_.all_legal(state); });
  }
  void closed_set(const Json& certificate) {
    const Json &about = certificate.at("about"), &listing = certificate.at("listing").only({"states"}, {"measure", "number", "most", "after", "alike", "rise"});
    const string& subject = about.at("kind").str();
    if (certificate.get("vector") && subject != "chance") throw Refused("a vector is that of a chance");
    if (listing.get("most") && !listing.get("number")) throw Refused("there is no number that would be limited");
    if (listing.pairs.size() > 1) throw Left("states that are not listed all at once");
    Int states = listing.at("states").whole();
    if (subject == "count") count(about.only({"kind", "event", "number"}), states, false);
    else if (subject == "distance") count(about.only({"kind", "event", "far", "number"}), states, true);
    else if (subject == "chance") chance(about.only({"kind", "event", "chance", "seat", "low", "high"}, {"partners"}), certificate, states);
    else if (subject == "strategy") strategy(about.only({"kind", "of", "within", "chance", "low", "high"}), states);
    else in_each_state(about, states);
  }
  /// What holds in each state, or in each decision.
  void in_each_state(const Json& about, Int states) {
    const string& subject = about.at("kind").str();
    std::optional<Target> target;
    std::optional<LawCheck> law;
    string name;
    if (subject == "event") target = reads_.event(about);
    else if (subject == "law") law.emplace(play_, reads_.law(about.only({"kind", "law"}).at("law")));
    else if (subject == "property") name = property(about);
    else if (subject != "length") throw Left("a closed set about: " + subject);
    Closed all = closed(states);
    for (size_t n = 0; n < all.states.size(); ++n) {
      const State& state = *all.states[n];
      if (name == "no dead end" && all.moves[n].empty() && !Play::over(state)) throw Refused("there is a dead end");
      bool taken = target && !target->idents;
      for (auto [ident, to] : all.moves[n]) {
        taken = taken || (target && target->idents->contains(ident));
        if (law && law->breaks(state, ident)) throw Refused("a decision breaks the law");
      }
      if (taken && play_.value(target->condition, state)) throw Refused("it is met in a state");
      if (law && law->barred(state)) throw Refused("a decision breaks the law");
    }
    if (law && law->at_the_start()) throw Refused("the start breaks the law");
    if (subject == "length" && longest(all.moves) > about.only({"kind", "most"}).at("most").whole()) throw Refused("a game is longer");
  }
  size_t condition(const Target& target) const {
    if (target.idents) throw Refused("this is about states, and not about actions");
    return target.condition;
  }
  /// How many states meet the event; or how far the nearest of them, or the farthest one, is away.
  void count(const Json& about, Int states, bool distance) {
    size_t met = condition(reads_.event(about.at("event")));
    Closed all = closed(states, MOST_COUNTED);
    vector<Int> away;
    for (size_t n = 0; n < all.states.size(); ++n)
      if (play_.value(met, *all.states[n])) away.push_back(all.away[n]);
    Int found = Int(away.size());
    if (distance && away.empty()) throw Refused("no state meets it");
    if (distance) found = about.at("far").yes() ? *std::max_element(away.begin(), away.end()) : *std::min_element(away.begin(), away.end());
    if (found != about.at("number").whole()) throw Refused("the number is " + std::to_string(found));
  }
  /// The number of moves on the longest path from state 0. Refuses a circle.
  static Int longest(const vector<vector<Move>>& moves) {
    vector<Int> waiting(moves.size(), 0), depth(moves.size(), 0);
    vector<size_t> ready;
    for (auto& from : moves)
      for (auto& move : from) ++waiting[move.to];
    for (size_t n = 0; n < moves.size(); ++n)
      if (!waiting[n]) ready.push_back(n);
    size_t done = 0;
    for (; !ready.empty(); ++done) {
      size_t n = ready.back();
      ready.pop_back();
      for (auto [ident, to] : moves[n]) {
        depth[to] = std::max(depth[to], depth[n] + 1);
        if (!--waiting[to]) ready.push_back(to);
      }
    }
    if (done != moves.size()) throw Refused("play can go in circles");
    return *std::max_element(depth.begin(), depth.end());
  }
  /// How the values behind a state count in it, by who acts; those of chance are weighed if a mean is taken.
  enum How { MOST_OF_THEM, LEAST_OF_THEM, MEAN_OF_THEM };
  struct Values { bool met; How how; vector<std::pair<size_t, Int>> behind; };
  vector<Values> values_behind(const Closed& all, size_t met, const std::function<How(Int)>& how) {
    vector<Values> made;
    for (size_t n = 0; n < all.states.size(); ++n) {
      const State& state = *all.states[n];
      made.push_back({play_.value(met, state) != 0, LEAST_OF_THEM, {}});
      Int actor = Play::over(state) ? -1 : play_.actor(state);
      made[n].how = how(actor);
      for (auto& move : all.moves[n]) made[n].behind.emplace_back(move.to, actor < 0 ? play_.weight(state, move.ident) : 1);
    }
    return made;
  }
  /// A state's value after one step of play: 1 at the event, else 0 where nothing is legal, else by what lies behind.
  template <typename N> static N stepped(const Values& here, const vector<N>& values, N sure, bool up) {
    if (here.met || here.behind.empty()) return here.met ? sure : N{};
    if (here.how == MEAN_OF_THEM) return mean(here, values, up);
    N made = values[here.behind[0].first];
    for (auto [to, weight] : here.behind)
      if (here.how == MOST_OF_THEM ? made < values[to] : values[to] < made) made = values[to];
    return made;
  }
  static Fraction mean(const Values& here, const vector<Fraction>& values, bool) {
    Fraction made;
    Int total = 0;
    for (auto [to, weight] : here.behind) total = plus(total, weight), made = made + values[to] * weight;
    return {made.over, times<__int128>(made.under, total)};
  }
  static Int mean(const Values& here, const vector<Int>& values, bool up) {
    __int128 made = 0, total = 0;
    for (auto [to, weight] : here.behind) total += weight, made = plus(made, times<__int128>(values[to], weight));
    return Int((made + (up ? total - 1 : 0)) / total);
  }
  /// No step leads above bounds from above: the value is the least vector that a step keeps, so it is not above them.
  template <typename N> static bool keeps_above(const vector<Values>& all, const vector<N>& upper, N sure) {
    for (size_t n = 0; n < all.size(); ++n)
      if (upper[n] < stepped(all[n], upper, sure, true)) return false;
    return true;
  }
  /// No step leads below bounds from below, and play that keeps to them cannot go on for ever, which ranks show: from
  /// each state with a bound above 0 it may come to a lower rank, or where the bound is 0, whatever others do.
  template <typename N> static bool keeps_below(const vector<Values>& all, const vector<N>& lower, const vector<Int>& ranks, N sure) {
    for (size_t n = 0; n < all.size(); ++n) {
      if (stepped(all[n], lower, sure, false) < lower[n]) return false;
      bool some = false, each = true;
      for (auto [to, weight] : all[n].behind) {
        bool falls = !(N{} < lower[to]) || ranks[to] < ranks[n], good = falls && (all[n].how == MEAN_OF_THEM || !(lower[to] < lower[n]));
        some = some || good, each = each && good;
      }
      if (N{} < lower[n] && !all[n].met && !(all[n].how == LEAST_OF_THEM ? each : some)) return false;
    }
    return true;
  }
  /// Hold stated bounds against those that follow: steps from 0, rounded down, never lead above the values; steps
  /// rounded up are taken until they lead no higher, and then lie above them. In parts of 2^-60.
  static void bounded(const vector<Values>& all, const Json& about) {
    const Int sure = Int(1) << 60;
    vector<Int> low(all.size(), 0), high;
    Int work = 0;
    auto climb = [&](vector<Int>& values, bool up) {
      for (bool same = false; !std::exchange(same, true);)
        for (size_t n = all.size(); n-- > 0;) {
          if ((work += 1 + Int(all[n].behind.size())) > MOST_STEPS) throw Left("values take too many steps");
          Int made = stepped(all[n], values, sure, up);
          if (made > values[n]) values[n] = made, same = false;
        }
    };
    climb(low, false);
    climb(high = low, true);
    if (!keeps_above(all, high, sure)) throw Left("no bound from above was found");
    auto part = [&](Int value) { return Fraction(value, sure); };
    Fraction stated_low(about.at("low").str()), stated_high(about.at("high").str());
    if (stated_low < Fraction() || Fraction(1, 1) < stated_high || part(high[0]) < stated_low || stated_high < part(low[0])) throw Refused("the chance has other bounds");
    if (part(low[0]) < stated_low || stated_high < part(high[0])) throw Left("the bounds are closer than this program finds");
  }
  static How luck(const string& word) {
    static const std::map<string, How> all{{"best", MOST_OF_THEM}, {"worst", LEAST_OF_THEM}, {"mean", MEAN_OF_THEM}};
    return all.contains(word) ? all.at(word) : throw Refused("no such luck");
  }
  /// A chance. Its vectors of bounds are in the order of the states' cells.
  void chance(const Json& about, const Json& certificate, Int states) {
    size_t met = condition(reads_.event(about.at("event")));
    How chance = luck(about.at("chance").str());
    Int seat = about.at("seat").whole();
    if (seat < 0 || seat >= game_.players) throw Refused("no such seat");
    auto seats = game_.team_of(seat);
    std::sort(seats.begin(), seats.end());
    vector<Int> partners = seats;
    std::erase(partners, seat);
    bool team = about.get("partners");
    if (team == partners.empty() || (team && about.at("partners").wholes() != partners)) throw Refused("others play together");
    Closed closed_set = closed(states);
    auto all = values_behind(closed_set, met, [&](Int actor) { return actor < 0 ? chance : std::find(seats.begin(), seats.end(), actor) != seats.end() ? MOST_OF_THEM : LEAST_OF_THEM; });
    if (!certificate.get("vector")) return bounded(all, about);
    auto& given = certificate.at("vector").only({"values", "upper", "lower", "ranks"});
    const Fraction never, sure(1, 1);
    vector<Fraction> values;
    for (auto& text : given.at("values").strings()) values.emplace_back(text);
    for (auto& value : values)
      if (value < never || sure < value) throw Refused("a chance is not from 0 to 1");
    auto uppers = given.at("upper").wholes(), lowers = given.at("lower").wholes(), ranks = given.at("ranks").wholes(), ranked = ranks;
    if (uppers.size() != all.size() || lowers.size() != all.size() || ranks.size() != all.size()) throw Refused("other states");
    vector<size_t> order(all.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return *closed_set.states[a] < *closed_set.states[b]; });
    vector<Fraction> upper(all.size()), lower(all.size());
    auto bound = [&](Int place) { return place >= 0 && place < Int(values.size()) ? values[size_t(place)] : throw Refused("no such bound"); };
    for (size_t n = 0; n < all.size(); ++n) upper[order[n]] = bound(uppers[n]), lower[order[n]] = bound(lowers[n]), ranked[order[n]] = ranks[n];
    Fraction least(about.at("low").str()), greatest(about.at("high").str());
    if (least < never || lower[0] < least || greatest < upper[0] || sure < greatest) throw Refused("the chance has other bounds");
    if (!keeps_above(all, upper, sure)) throw Refused("best play may do better than the bound from above");
    if (!keeps_below(all, lower, ranked, sure)) throw Refused("the bound from below is not reached");
  }

  // -- strategies
  //
  // The states are those that the strategy allows. All others play against it, but for seats that play together with
  // one that follows it: they help. Of equal actions `ties` says which is taken.

  struct Preference { Int sign; std::optional<size_t> term; string parameter; };
  struct Rule { size_t when; std::optional<Idents> take; vector<Preference> numbers; };
  struct Strategy { vector<Int> seats, helpers; string ties; vector<Rule> rules; };
  Strategy read_strategy(const Json& of) {
    auto& data = reads_.data("strategy", of).only({"seats", "ties", "rules"});
    Strategy made{data.at("seats").wholes(), {}, data.at("ties").str(), {}};
    if (made.ties != "any" && made.ties != "first" && made.ties != "random") throw Refused("no such ties");
    std::set<Int> helpers;
    for (Int seat : made.seats) {
      if (seat < 0 || seat >= game_.players) throw Refused("no such seat");
      for (Int other : game_.team_of(seat)) helpers.insert(other);
    }
    for (Int seat : made.seats) helpers.erase(seat);
    made.helpers.assign(helpers.begin(), helpers.end());
    for (auto& row : data.at("rules").all()) {
      row.only({"when", "take", "numbers", "least"});
      Rule rule{ClaimTerms(game_).make(row.at("when")), {}, {}};
      if (row.at("take").kind != Json::null) rule.take = reads_.idents(row.at("take"));
      for (auto& term : row.at("numbers").all()) {
        bool parameter = term.kind == Json::list && term.at(0).str() == "parameter";
        rule.numbers.push_back({row.at("least").yes() ? -1 : 1, {}, parameter ? term.at(1).str() : ""});
        if (!parameter) rule.numbers.back().term = ClaimTerms(game_).make(term);
      }
      made.rules.push_back(rule);
    }
    return made;
  }
  /// The legal actions that a strategy allows: those that the first rule which holds, and fits some, prefers.
  vector<size_t> allowed(const Strategy& plan, const State& state) {
    auto legal = play_.all_legal(state);
    if (Play::over(state) || std::find(plan.seats.begin(), plan.seats.end(), play_.actor(state)) == plan.seats.end()) return legal;
    for (auto& rule : plan.rules) {
      vector<size_t> fits;
      if (!play_.value(rule.when, state)) continue;
      for (size_t ident : legal)
        if (!rule.take || rule.take->contains(ident)) fits.push_back(ident);
      for (auto& preferred : rule.numbers) {
        vector<Int> numbers;
        for (size_t ident : fits) numbers.push_back(times(preferred.sign, number_of(preferred, state, ident)));
        for (size_t n = fits.size(); n-- > 0;)
          if (numbers[n] < *std::max_element(numbers.begin(), numbers.end())) fits.erase(fits.begin() + long(n));
      }
      if (fits.empty()) continue;
      legal = fits;
      break;
    }
    if (plan.ties == "first" && !legal.empty()) legal.resize(1);
    return legal;
  }
  Int number_of(const Preference& preferred, const State& state, size_t ident) {
    if (preferred.term) return play_.value(*preferred.term, play_.next(state, ident));
    auto& action = game_.action_of(ident);
    for (size_t n = 0; n < action.params.size(); ++n)
      if (game_.locals.at(action.params[n].local).name == preferred.parameter) return game_.values(action, ident)[n];
    throw Refused("an action has no parameter `" + preferred.parameter + "`");
  }
  /// Check that states which look alike to a seat allow it the same actions.
  void followed(const Strategy& plan, const Closed& all) {
    for (Int seat : plan.seats) {
      std::map<State, vector<size_t>> by_view;
      for (size_t n = 0; n < all.states.size(); ++n) {
        if (Play::over(*all.states[n]) || play_.actor(*all.states[n]) != seat) continue;
        vector<size_t> idents;
        for (auto& move : all.moves[n]) idents.push_back(move.ident);
        if (by_view.emplace(view(*all.states[n], seat), idents).first->second != idents) throw Refused("what the strategy allows depends on what its seat does not see");
      }
    }
  }
  /// The cells that a seat sees. What owners see has a row for each seat.
  State view(const State& state, Int seat) const {
    State made;
    for (auto& field : game_.fields) {
      size_t size = field.start.size(), share = field.sees == "owner" && game_.players > 1 ? size / size_t(field.shape.at(0)) : size;
      size_t from = share == size ? 0 : size_t(seat) * share;
      if (field.sees != "all" && field.sees != "owner" && field.sees != "nobody") throw Left("who sees `" + field.name + "` is unknown");
      for (size_t n = from; field.sees != "nobody" && n < std::min(size, from + share); ++n) made.push_back(state[field.offset + n]);
    }
    return made;
  }
  void strategy(const Json& about, Int states) {
    Strategy plan = read_strategy(about.at("of"));
    size_t met = condition(reads_.target(about.at("of").at("target"), about.at("within")));
    How chance = luck(about.at("chance").str());
    Closed all = closed(states, MOST_STATES, [&](const State& state) { return allowed(plan, state); });
    followed(plan, all);
    auto among = [](const vector<Int>& seats, Int actor) { return std::find(seats.begin(), seats.end(), actor) != seats.end(); };
    bounded(values_behind(all, met, [&](Int actor) {
      if (actor < 0 || (plan.ties == "random" && among(plan.seats, actor))) return chance;
      return among(plan.helpers, actor) ? MOST_OF_THEM : LEAST_OF_THEM;
    }), about);
  }
  /// A line that the strategy allows, which has no helpers, misses the target, and ends or comes back to a state.
  void failing_line(const Json& certificate) {
    Strategy plan = read_strategy(certificate.at("of"));
    size_t met = condition(reads_.target(certificate.at("of").at("target"), certificate.at("within")));
    if (!plan.helpers.empty()) throw Refused("one line shows nothing where helpers may choose another");
    auto idents = line(certificate);
    auto states = play_.replayed(idents);
    for (size_t n = 0; n < states.size(); ++n) {
      if (play_.value(met, states[n])) throw Refused("the line comes to the target");
      auto all = n < idents.size() ? allowed(plan, states[n]) : vector<size_t>{};
      if (n < idents.size() && std::find(all.begin(), all.end(), idents[n]) == all.end()) throw Refused("the strategy does not allow an action");
    }
    Int before = certificate.get("before") ? certificate.at("before").whole() : -1;
    bool again = before >= 0 && before < Int(idents.size()) && states[size_t(before)] == states.back();
    if (before != -1 ? !again : !play_.all_legal(states.back()).empty()) throw Refused("the line does not end");
  }
};

// -- files ------------------------------------------------------------------------------------------------------------

string content(const string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Unreadable(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), {}};
}
/// The JSON of a file that is named by its digest.
Json named_by_digest(const string& folder, const string& digest, const char* what) {
  if (digest.size() != 64 || digest.find_first_not_of("0123456789abcdef") != string::npos)
    throw Unreadable("expected a digest of 64 hexadecimal digits");
  string data = content(folder + "/" + digest + ".json");
  if (sha256(data) != digest) throw Unreadable(string(what) + " another digest than its name");
  return JsonReader(data, 60).whole();
}

// -- rows of cards (claims.md, "The ledger") --------------------------------------------------------------------------

/// What cards print, counted. The cards are the file that `export archive` names by their digest: components as
/// ["Component", id, kind, name, count, fields, ...], and in their fields ["Effect", word, arguments, null],
/// ["Either", alternatives, null], ["Option", letter, needs, cost, effects, to, ...] and ["float", digits]. `data` is
/// what a claim asks of them, an entry of `reads`.
class Ledger {
 public:
  Ledger(const Json& cards, const Json& data) : data_(data.only({"each", "where", "measure", "of", "by", "band", "alike", "worth"})) {
    each_ = data.at("each").str(), measure_ = data.at("measure").str();
    for (auto& [name, worth] : data.at("worth").is(Json::map, "a table").pairs) worth_[name] = worth.whole();
    for (auto& card : cards.all()) add_rows(card);
    for (auto& row : rows_) {
      for (auto& [name, number] : row.numbers) numbers_.insert(name);
      for (auto& [name, text] : row.texts) texts_.insert(name);
    }
  }
  /// The value that a claim asks of, and the rows that it speaks of, with their part of it.
  std::pair<Json, vector<string>> count() const {
    const Json &of = data_.at("of"), &by = data_.at("by"), &band = data_.at("band"), &alike = data_.at("alike");
    std::map<string, vector<std::pair<const Row*, Int>>> groups;
    vector<string> members;
    bool good = true, least = measure_ == "least", most = measure_ == "most";
    for (auto& row : rows_) {
      if (!read(data_.at("where"), row).truth()) continue;
      if (measure_ == "holds") {
        members.push_back(row.name), good = good && read(of, row).truth();
        continue;
      }
      string group;
      for (size_t n = 0; by.kind == Json::list && n < by.items.size(); ++n) group += (n ? ", " : "") + printed(by.items[n].str(), row);
      groups[group].emplace_back(&row, number(of, row));
      if (alike.kind == Json::null) members.push_back(row.name + ": " + std::to_string(times(groups[group].back().second, row.weight)));
    }
    if (members.empty() && groups.empty()) return {};
    if (measure_ == "holds") return {truth(good), members};
    if (alike.kind != Json::null) return compared(groups, alike.str());
    Json made{Json::map};
    for (auto& [group, rows] : groups) {
      Int all = least || most ? rows[0].second : 0;
      for (auto& [row, part] : rows) all = least ? std::min(all, part) : most ? std::max(all, part) : plus(all, times(part, row->weight));
      made.pairs.emplace_back(group, Json{Json::number, all});
      if (band.kind != Json::null) good = good && band.at(0).whole() <= all && all <= band.at(1).whole();
    }
    return {band.kind != Json::null ? truth(good) : by.kind == Json::list ? made : made.pairs[0].second, members};
  }

 private:
  using Counts = std::map<string, Int>;
  using Printed = vector<std::pair<string, const Json*>>;
  struct Row { string name; Counts numbers; std::map<string, string> texts; Int weight; Printed printed; };
  const Json& data_;
  string each_, measure_;
  vector<Row> rows_;
  Counts worth_;
  std::set<string> numbers_, texts_;  // the names that rows have

  static Json truth(bool value) { return {Json::truth, value}; }
  /// Whether each group has the same sum for each value of a name.
  std::pair<Json, vector<string>> compared(const std::map<string, vector<std::pair<const Row*, Int>>>& groups, const string& name) const {
    std::set<string> sides;
    for (auto& [group, rows] : groups)
      for (auto& [row, part] : rows) sides.insert(printed(name, *row));
    bool good = true;
    vector<string> members;
    for (auto& [group, rows] : groups) {
      Counts sums;
      for (auto& side : sides) sums[side] = 0;
      for (auto& [row, part] : rows) sums[printed(name, *row)] += times(part, row->weight);
      string text;
      for (auto& [side, sum] : sums) text += (text.empty() ? (group.empty() ? "all" : group) + ": " : ", ") + side + " " + std::to_string(sum), good = good && sum == sums.begin()->second;
      members.push_back(text);
    }
    return {truth(good), members};
  }

  // -- rows

  static bool is(const Json& json, const char* what, size_t size) {
    return json.kind == Json::list && json.items.size() == size && json.items[0].kind == Json::text && json.items[0].words == what;
  }
  static bool is_effect(const Json& json) { return is(json, "Effect", 4) && json.items[2].kind == Json::map; }
  static bool is_either(const Json& json) { return is(json, "Either", 3) && json.items[1].kind == Json::list; }
  static bool is_option(const Json& json) { return is(json, "Option", 8) && json.items[4].kind == Json::list; }
  static bool is_number(const Json& json) { return json.kind == Json::number || json.kind == Json::truth; }
  static bool is_list(const Json& json) {
    return json.kind == Json::list && !is_effect(json) && !is_either(json) && !is_option(json) && !is(json, "float", 2);
  }

  void add_rows(const Json& card) {
    if (!is(card, "Component", 9)) throw Unreadable("expected a component");
    auto& fields = card.items[5].is(Json::map, "fields").pairs;
    Row own{card.items[1].str(), {}, {}, each_ == "copy" ? card.items[4].whole() : 1, {}};
    Printed values{{"name", &card.items[3]}};
    for (auto& [name, value] : fields) values.emplace_back(name, &value), own.printed.emplace_back(name, &value);
    for (auto [name, n] : {std::pair("id", 1), {"kind", 2}, {"count", 4}}) values.emplace_back(name, &card.items[size_t(n)]);
    for (auto& [name, value] : values) {
      own.numbers.erase(name), own.texts.erase(name);
      if (is_number(*value)) own.numbers[name] = value->value;
      else if (value->kind == Json::text) own.texts[name] = value->words;
    }
    if (each_ == "card" || each_ == "copy") return add_counted(own);
    if (each_ != "option" && each_ != "effect") throw Left("other rows: " + each_);
    for (auto& [field, value] : fields) {
      bool options = is_list(value) && std::any_of(value.items.begin(), value.items.end(), is_option);
      if (!options && each_ == "effect") add_effects(own, field, value);
      for (auto& option : value.items) {  // rows point into the cards, so this is no copy
        if (!options || !is_option(option)) continue;
        auto& part = option.items;
        Row row = own;
        row.texts["option"] = part[1].str(), row.texts["to"] = part[5].str(), row.texts["needs"] = part[2].str();
        if (each_ == "effect") {
          add_effects(row, "cost", part[3]), add_effects(row, "effects", part[4]);
          continue;
        }
        row.name += " " + part[1].str();
        row.printed = {{"cost", &part[3]}, {"effects", &part[4]}, {"to", &part[5]}, {"needs", &part[2]}};
        add_counted(row);
      }
    }
  }
  void add_counted(Row row) {
    Counts more = count(row.printed, false);
    row.numbers.merge(more), rows_.push_back(row);
  }
  void add_effects(const Row& own, const string& field, const Json& value) {
    if (is_effect(value)) {
      for (auto& [term, amount] : amounts(value)) {
        Row row = own;
        for (auto& word : {own.texts.contains("option") ? own.texts.at("option") : "", value.items[1].str(), term})
          if (!word.empty()) row.name += " " + word;
        row.numbers["amount"] = amount, row.printed = {};
        row.texts["field"] = field, row.texts["effect"] = value.items[1].str(), row.texts["term"] = term;
        rows_.push_back(row);
      }
    } else if (is_either(value)) {
      for (auto& way : value.items[1].items)
        for (auto& effect : way.all()) add_effects(own, field, effect);
    } else if (is_option(value)) {
      add_effects(own, field, value.items[3]), add_effects(own, field, value.items[4]);
    } else if (is_list(value)) {
      for (auto& item : value.items) add_effects(own, field, item);
    } else if (value.kind == Json::map) {
      for (auto& [name, item] : value.pairs) add_effects(own, field, item);
    }
  }
  /// What an effect speaks of, and how much of each.
  static vector<std::pair<string, Int>> amounts(const Json& effect) {
    vector<std::pair<string, Int>> made;
    for (auto& [name, value] : effect.items[2].pairs) {
      if (value.kind == Json::number) made.emplace_back("", value.value);
      else if (value.kind == Json::text) made.emplace_back(value.words, 1);
      for (auto& [term, part] : value.pairs)
        if (is_number(part)) made.emplace_back(term, part.value);
      for (auto& item : value.items)
        if (item.kind == Json::text && is_list(value)) made.emplace_back(item.words, 1);
    }
    return made.empty() ? vector<std::pair<string, Int>>{{"", 1}} : made;
  }
  static void add(Counts& made, const Counts& more) { for (auto& [name, number] : more) made[name] += number; }
  /// What is printed, by name. Of a slash each name counts the most of it; or, if `best`, one alternative is counted.
  Counts count(const Printed& printed, bool best) const {
    Counts made;
    for (auto& [name, value] : printed) add(made, count(name, *value, best));
    return made;
  }
  Counts count(const string& name, const Json& value, bool best) const {
    Counts made;
    if (is_number(value)) return {{name, value.value}};
    if (value.kind == Json::text && !value.words.empty()) return {{name + "." + value.words, 1}};
    if (is_effect(value)) {
      for (auto& [term, number] : amounts(value)) {
        made[value.items[1].str()] += number;
        if (!term.empty()) made[value.items[1].str() + "." + term] += number;
      }
    } else if (is_either(value)) {
      vector<Counts> ways;
      for (auto& way : value.items[1].items) {
        ways.emplace_back();
        for (auto& effect : way.all()) add(ways.back(), count(name, effect, best));
      }
      if (best && ways.empty()) throw Refused("no alternatives");
      if (best) return *std::max_element(ways.begin(), ways.end(), [&](auto& a, auto& b) { return worth(a) < worth(b); });
      for (auto& all : ways)
        for (auto& [part, number] : all) {
          Int most = number;
          for (auto& way : ways) most = std::max(most, way.contains(part) ? way.at(part) : 0);
          made[part] = most;
        }
    } else if (is_option(value)) {
      return count({{"cost", &value.items[3]}, {"effects", &value.items[4]}, {"to", &value.items[5]}}, best);
    } else if (is_list(value)) {
      Int texts = 0;
      for (auto& item : value.items) add(made, count(name, item, best)), texts += item.kind == Json::text;
      if (texts) made[name] = texts;
    } else if (value.kind == Json::map) {
      Int plain = 0;
      bool some = false;
      for (auto& [key, part] : value.pairs) {
        add(made, count(name + "." + key, part, best));
        if (is_number(part)) plain += part.value, some = true;
      }
      if (some) made[name] = plain;
    }
    return made;
  }
  Int worth(const Counts& counts) const {
    Int made = 0;
    for (auto& [name, number] : worth_) made += counts.contains(name) ? number * counts.at(name) : 0;
    return made;
  }

  // -- what is said of a row

  struct Said {  // a number, or a text
    bool text;
    Int number;
    string words;
    bool truth() const { return text ? !words.empty() : number != 0; }
  };
  Int number(const Json& data, const Row& row) const {
    Said made = read(data, row);
    return made.text ? throw Refused("a text stands where a number is meant") : made.number;
  }
  Said read(const Json& data, const Row& row) const {
    auto is_number = [](Int value) { return Said{false, value, ""}; };
    if (data.kind == Json::number) return is_number(data.value);
    const string& word = data.at(0).str();
    auto part = [&](size_t n) { return number(data.at(n), row); };
    if (word == "text") return {true, 0, data.at(1).str()};
    if (word == "printed") return name(data.at(1).str(), row);
    if (word == "negative") return is_number(-part(1));
    if (word == "not") return is_number(!read(data.at(1), row).truth());
    if (word == "and" || word == "or") {
      bool all = word == "and";
      for (size_t n = 1; n < data.items.size(); ++n)
        if (read(data.items[n], row).truth() != all) return is_number(!all);
      return is_number(all);
    }
    if (word == "+") return is_number(plus(part(1), part(2)));
    if (word == "-") return is_number(plus(part(1), -part(2)));
    if (word == "*") return is_number(times(part(1), part(2)));
    Said a = read(data.at(1), row), b = read(data.at(2), row);
    bool same = a.text == b.text && a.number == b.number && a.words == b.words, less = a.text ? a.words < b.words : a.number < b.number;
    if (word == "==" || word == "!=") return is_number(same == (word == "=="));
    if (word != "<" && word != "<=" && word != ">" && word != ">=") throw Left("an expression about cards is unknown: `" + word + "`");
    return is_number(a.text == b.text && (same ? word.size() == 2 : less == (word[0] == '<')));
  }
  /// A name that some row prints as a number is one in all rows.
  Said name(const string& name, const Row& row) const {
    if (name == "worth") return {false, worth(count(row.printed, true)), ""};
    if (numbers_.contains(name)) return {false, row.numbers.contains(name) ? row.numbers.at(name) : 0, ""};
    if (!texts_.contains(name)) throw Refused("no row has the name `" + name + "`");
    return {true, 0, printed(name, row)};
  }
  static string printed(const string& name, const Row& row) {
    if (row.texts.contains(name)) return row.texts.at(name);
    return row.numbers.contains(name) ? std::to_string(row.numbers.at(name)) : "";
  }
};

/// What the cards give, by which rows, in any order: the file of cards does not hold the order of a card's fields.
void tally(const string& folder, Readings& reads, const Json& certificate) {
  certificate.only({"kind", "of", "cards", "value", "rows"});
  const string& digest = certificate.at("cards").str();
  if (digest.size() == 64 && !std::ifstream(folder + "/" + digest + ".json")) throw Left("the folder does not hold the cards");
  static std::map<string, Json> files;
  if (!files.contains(digest)) files[digest] = named_by_digest(folder, digest, "the file of cards has");
  auto [value, rows] = Ledger(files[digest], reads.data("ledger", Json{Json::list, 0, "", {certificate.at("of"), certificate.at("cards")}, {}})).count();
  auto said = certificate.at("rows").strings();
  if (value.dump() != certificate.at("value").dump()) throw Refused("the cards give another value");
  std::sort(rows.begin(), rows.end()), std::sort(said.begin(), said.end());
  if (rows != said) throw Refused("the evidence lists other rows than the cards have");
}

/// Certificates that were shown, with all that they asked of `reads`: many files hold the same.
std::map<string, std::pair<string, std::map<string, string>>> settled;

/// Check a file's certificates. Returns 0 if all are shown, 1 if some are refused, else 3.
int checked(const string& folder, const string& path) {
  string text = content(path);
  if (text.size() > 8'000'000) throw Unreadable("expected at most 8 MB");
  Json file = JsonReader(text, 300).whole();
  file.only({"playproof", "game", "errata", "claim", "settings"});
  if (file.at("playproof").whole() != 6) throw Unreadable("expected evidence of version 6");
  size_t number = 0, refused = 0;
  std::map<string, size_t> left;
  for (auto& setting : file.at("settings").all()) {
    setting.only({"options", "rulings", "digest", "certificates", "reads"});
    for (auto key : {"options", "rulings"})
      for (auto& [name, value] : setting.at(key).is(Json::map, "a mapping").pairs) value.str();
    Json described = named_by_digest(folder, setting.at("digest").str(), "the description has");
    if (described.at("playproof-game").whole() != 1) throw Unreadable("expected version 1 of descriptions");
    Game game(described);
    Readings reads(game, setting.at("reads"));
    for (auto& row : setting.at("reads").all()) std::cout << "means\t" << path << "\t\t" << row.at(0).str() << '\t' << row.at(1).dump() << " means " << row.at(2).dump() << '\n';
    for (auto& certificate : setting.at("certificates").all()) {
      if (++number > 5'000) throw Unreadable("expected at most 5,000 certificates");
      string answer = "shown", why;
      const string& kind = certificate.at("kind").str();
      auto& before = settled[setting.at("digest").str() + certificate.dump()];
      bool again = !before.first.empty() && reads.say(before.second);
      if (!again) reads.used.clear();
      if (again) answer = before.first;
      else try {
        game.forget(), Forms::work = 0;  // a claim's conditions add terms to the game
        if (kind == "tally") tally(folder, reads, certificate);
        else Checker(game, reads).check(certificate);
      } catch (const Refused& error) {
        answer = "refused", why = error.what(), ++refused;
      } catch (const Left& error) {
        answer = "left", why = error.what(), ++left[kind];
      }
      if (!again && answer == "shown") before = {answer, reads.used};
      std::cout << answer << '\t' << path << '\t' << number << '\t' << kind << '\t' << why << std::endl;
    }
  }
  string kinds = number ? "" : "no certificate";
  for (auto& [kind, many] : left) kinds += (kinds.empty() ? "" : ", ") + std::to_string(many) + " " + kind;
  std::cout << (refused ? "REFUSED" : kinds.empty() ? "CONFIRMED" : "LEFT") << '\t' << path << '\t' << number << "\t\t" << kinds << std::endl;
  return refused ? 1 : kinds.empty() ? 0 : 3;
}

int main(int count, char** words) {
  if (count < 3) {
    std::cerr << "usage: second_checker DESCRIPTIONS evidence.json ...\n";
    return 2;
  }
  std::set<int> met;
  for (int n = 2; n < count; ++n) {
    try {
      met.insert(checked(words[1], words[n]));
    } catch (const std::exception& error) {
      std::cout << "unreadable\t" << words[n] << "\t0\t\t" << error.what() << '\n';
      met.insert(2);
    }
  }
  for (int status : {2, 1, 3})
    if (met.contains(status)) return status;
  return 0;
}
