// A second checker of evidence. Everything that it does stands in docs/maintain/evidence.md, description.md and
// claims.md. It shares no code with the kernel, and asks nothing of Python.
//
//   g++ -std=c++20 -O2 -o second_checker second_checker.cpp
//   ./second_checker DESCRIPTIONS evidence.json ...        DESCRIPTIONS is a folder with DIGEST.json files
//
// It prints a line for each certificate: `shown`, `refused`, or `left` (of another kind, or said in words or numbers
// that it does not know), and a line for each file: CONFIRMED, REFUSED or LEFT. It ends with 0 only if every file is
// confirmed, with 1 if a certificate is refused, with 2 if a file cannot be read, and else with 3.

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

using std::string;
using std::vector;
using Int = __int128;
using State = vector<int64_t>;

struct Unreadable : std::runtime_error { using runtime_error::runtime_error; };
struct Refused : std::runtime_error { using runtime_error::runtime_error; };
struct Left : std::runtime_error { using runtime_error::runtime_error; };
struct Illegal : Refused { using Refused::Refused; };
/// The rules break: a value leaves its bounds, or automatic phases do not come to an end.
struct Fault : Refused {
  bool bounds;
  explicit Fault(const string& why, bool of_bounds = true) : Refused(why), bounds(of_bounds) {}
};

constexpr int MOST_PHASES = 100'000;    // automatic phases in a row
constexpr size_t MOST_STATES = 1'000'000;
constexpr size_t MOST_TERMS_DEEP = 180;  // terms in one another, as description.md limits them
constexpr int64_t WIDEST = int64_t(1) << 62;

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
  const Json& is(Kind wanted, const char* what) const {
    if (kind != wanted) throw Unreadable(string("expected ") + what);
    return *this;
  }
  const string& str() const { return is(text, "a text").words; }
  Int whole() const { return is(number, "a whole number").value; }
  size_t index() const {
    if (whole() < 0 || value > 1'000'000'000) throw Unreadable("expected a number from 0 on");
    return size_t(value);
  }
  const vector<Json>& all() const { return is(list, "a list").items; }
  /// Refuse a mapping with other keys than these: without an unknown key, it would mean something else.
  void only(std::initializer_list<const char*> keys) const {
    is(map, "a mapping");
    for (auto& [name, json] : pairs)
      if (std::find(keys.begin(), keys.end(), name) == keys.end()) throw Unreadable("unknown key `" + name + "`");
    if (pairs.size() != keys.size()) throw Unreadable("a key is missing");
  }
};

string digits(Int value) {
  if (value == 0) return "0";
  string made;
  for (Int rest = value; rest != 0; rest /= 10) made += char('0' + std::abs(int(rest % 10)));
  if (value < 0) made += '-';
  return {made.rbegin(), made.rend()};
}

Int as_int(const string& text) {
  Int value = 0;
  bool negative = text[0] == '-';
  for (size_t at = negative; at < text.size(); ++at)
    if (__builtin_mul_overflow(value, Int(10), &value) || __builtin_add_overflow(value, Int(text[at] - '0'), &value))
      throw Left("a number has more than 127 bits");
  return negative ? -value : value;
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

// -- the description (description.md) --------------------------------------------------------------------------------

struct Field {
  string name;
  Int low, high;
  vector<Int> shape, start;
  size_t offset, size;
  vector<string> labels;
  bool text = false;  // of a row of cards: its values are texts, and no numbers
};
struct Table { string name; vector<Int> shape, values; };
struct Local { string name; Int low, high; };
struct Term {
  enum Code { VALUE, LOCAL, READ, LOOKUP, CALL, PICK, AND, OR, NOT, SUM, ANY, ALL, LEAST_OF, MOST_OF, ABS, PLUS, MINUS, TIMES, OVER, REST,
              SAME, OTHER, LESS, UP_TO, LEAST, MOST, UNKNOWN };
  static constexpr const char* WORDS[] = {"value", "local", "read", "lookup", "call", "pick", "and", "or", "not", "sum", "any", "all", "min of",
                                          "max of", "abs", "+", "-", "*", "//", "%", "==", "!=", "<", "<=", "min", "max"};
  string op;
  size_t on = 0;  // a local, field, table or function
  vector<size_t> args;
  Int value = 0;
  Code code = UNKNOWN;
};
struct Statement {
  string does;
  size_t on = 0;  // a field, local, procedure or ending
  size_t index = 0, value = 0, then = 0, other = 0;
  vector<size_t> args;
};
struct Rule { vector<size_t> params; size_t body; };  // of a function (a term) or a procedure (a block)
struct Phase { string name; bool automatic, chance; size_t actor = 0, does = 0; };
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

vector<string> strings(const Json& json) {
  vector<string> made;
  for (auto& item : json.all()) made.push_back(item.str());
  return made;
}
vector<size_t> indices(const Json& json) {
  vector<size_t> made;
  for (auto& item : json.all()) made.push_back(item.index());
  return made;
}
vector<Int> wholes(const Json& json) {
  vector<Int> made;
  for (auto& item : json.all()) made.push_back(item.whole());
  return made;
}
std::optional<size_t> optional(const Json& json) {
  return json.kind == Json::null ? std::nullopt : std::optional(json.index());
}

struct Game {
  bool rows = false;  // no game, but the names that rows of cards have
  Int players = 1;
  vector<vector<Int>> teams, sides;  // as declared; who plays together
  vector<Field> fields;
  vector<Table> tables;
  vector<Local> locals;
  vector<Term> terms;
  vector<size_t> depths;
  vector<Rule> functions, procedures;
  vector<vector<Statement>> blocks;
  vector<Phase> phases;
  vector<Action> actions;
  vector<Ending> endings;
  std::optional<vector<size_t>> payoffs;
  std::map<string, size_t> quantities;
  std::map<string, Json> facts;
  size_t cells = 0, ground = 0, own_terms = 0, own_locals = 0;

  Game() = default;
  explicit Game(const Json& file) {
    players = file.at("players").whole();
    for (auto& team : file.at("teams").all()) teams.push_back(wholes(team));
    for (auto& row : file.at("phases").all()) phases.push_back(phase(row));
    for (auto& row : file.at("endings").all())
      endings.push_back({row.at("kind").str(), row.at("reason").str(), optional(row.at("winner")), row.at("shared").value != 0});
    for (auto& row : file.at("fields").all()) fields.push_back(field(row));
    for (auto& row : file.at("tables").all())
      tables.push_back({row.at("name").str(), wholes(row.at("shape")), wholes(row.at("values"))});
    for (auto& row : file.at("locals").all())
      locals.push_back({row.all().at(0).str(), row.all().at(1).whole(), row.all().at(2).whole()});
    for (auto& row : file.at("terms").all()) add(term(row));
    for (auto& row : file.at("functions").all()) functions.push_back({indices(row.at("params")), row.at("value").index()});
    for (auto& row : file.at("procedures").all()) procedures.push_back({indices(row.at("params")), row.at("does").index()});
    for (auto& row : file.at("blocks").all()) {
      vector<Statement> block;
      for (auto& item : row.all()) block.push_back(statement(item));
      blocks.push_back(block);
    }
    for (auto& row : file.at("actions").all()) actions.push_back(action(row));
    if (file.at("payoffs").kind == Json::list) payoffs = indices(file.at("payoffs"));
    bool alike = !payoffs || std::set<size_t>(payoffs->begin(), payoffs->end()).size() < 2;
    if (alike && std::all_of(endings.begin(), endings.end(), [](auto& e) { return e.kind != "win" || e.shared; })) {
      sides.emplace_back();
      for (Int seat = 0; seat < players; ++seat) sides[0].push_back(seat);
    } else sides = teams;
    for (auto& row : file.at("quantities").all()) quantities[row.all().at(0).str()] = row.all().at(1).index();
    for (auto& row : file.at("facts").all()) facts[row.all().at(0).str()] = row.all().at(1);
    own_terms = terms.size(), own_locals = locals.size();
  }

  /// Forget all terms and locals but those of the description.
  void forget() {
    terms.resize(own_terms), depths.resize(own_terms), locals.resize(own_locals);
  }
  size_t add(Term term) {
    size_t deep = 0;
    if (term.op != "local" && term.op != "value")
      for (size_t arg : term.args) deep = std::max(deep, depths.at(arg) + 1);
    if (deep > 10 * MOST_TERMS_DEEP) throw Left("terms are nested too deeply");
    term.code = Term::Code(std::find(std::begin(Term::WORDS), std::end(Term::WORDS), term.op) - std::begin(Term::WORDS));
    depths.push_back(deep);
    terms.push_back(std::move(term));
    return terms.size() - 1;
  }
  size_t constant(Int value) { return add({"value", 0, {}, value}); }
  size_t apply(const string& op, vector<size_t> args) { return add({op, 0, std::move(args), 0}); }

  /// Who plays together with a seat, itself included.
  vector<Int> team_of(Int seat) const {
    for (auto& side : sides)
      if (std::find(side.begin(), side.end(), seat) != side.end()) return side;
    return {};
  }
  const Action& action_of(size_t ident) const {
    for (auto& action : actions)
      if (ident >= action.first && ident < action.first + action.count) return action;
    throw Refused("the game has no action " + std::to_string(ident));
  }
  vector<Int> values(const Action& action, size_t ident) const {
    vector<Int> made(action.params.size());
    size_t rest = ident - action.first;
    for (size_t n = made.size(); n-- > 0;) {
      auto& local = locals.at(action.params[n].local);
      size_t count = size_t(local.high - local.low + 1);
      made[n] = local.low + Int(rest % count);
      rest /= count;
    }
    return made;
  }
  string show(const Parameter& param, Int value) const {
    return param.labels.empty() ? digits(value) : param.labels.at(size_t(value - locals.at(param.local).low));
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
      size_t end = text.find('}', at);
      if (end == string::npos) throw Unreadable("a text has a brace without its other");
      string name = text.substr(at + 1, end - at - 1);
      for (size_t n = 0; n < chosen.size(); ++n)
        if (locals.at(action.params[n].local).name == name) made += show(action.params[n], chosen[n]);
      at = end;
    }
    return made;
  }

 private:
  Field field(const Json& row) {
    Field made{row.at("name").str(), 0, 0, wholes(row.at("shape")), wholes(row.at("start")), cells, 1, strings(row.at("labels"))};
    auto& bounds = row.at("bounds");
    if (bounds.kind == Json::list) {
      made.low = bounds.all().at(0).whole(), made.high = bounds.all().at(1).whole();
    } else if (bounds.str() == "phases") {
      made.high = Int(phases.size()) - 1;
      for (auto& phase : phases) made.labels.push_back(phase.name);
    } else {
      made.high = Int(endings.size());
      made.labels = {"playing"};
      for (auto& ending : endings) made.labels.push_back(ending.reason);
    }
    if (made.low < -WIDEST || made.high > WIDEST) throw Left("a cell has more than 62 bits");
    made.size = made.start.size();
    cells += made.size;
    return made;
  }
  Phase phase(const Json& row) {
    auto& actor = row.at("actor");
    Phase made{row.at("name").str(), false, false};
    if (actor.kind == Json::text) made.automatic = actor.words == "nobody", made.chance = actor.words == "chance";
    else made.actor = actor.index();
    if (made.automatic) made.does = row.at("does").index();
    return made;
  }
  Term term(const Json& row) {
    if (row.kind == Json::number) return {"value", 0, {}, row.value};
    Term made{row.all().at(0).str()};
    vector<size_t> rest;
    for (size_t n = 1; n < row.items.size(); ++n) rest.push_back(row.items[n].index());
    static const std::set<string> named{"local", "read", "lookup", "call", "sum", "min of", "max of", "any", "all"};
    if (named.contains(made.op)) made.on = rest.at(0), rest.erase(rest.begin());
    if (made.op == "local" && made.on >= locals.size()) throw Unreadable("no such local");
    for (size_t arg : rest)
      if (arg >= terms.size()) throw Unreadable("a term names one that is not above it");
    made.args = rest;
    return made;
  }
  Statement statement(const Json& row) {
    auto& items = row.all();
    Statement made{items.at(0).str()};
    auto number = [&](size_t n) { return items.at(n).index(); };
    auto above = [&](size_t n) {
      if (number(n) >= blocks.size()) throw Unreadable("a block names one that is not above it");
      return number(n);
    };
    if (made.does == "set") made.on = number(1), made.index = number(2), made.value = number(3);
    else if (made.does == "keep") made.on = number(1), made.value = number(2);
    else if (made.does == "if") made.value = number(1), made.then = above(2), made.other = above(3);
    else if (made.does == "loop") made.on = number(1), made.then = above(2);
    else if (made.does == "do") made.on = number(1), made.args = indices(items.at(2));
    else if (made.does == "finish") made.on = number(1);
    else if (made.does == "require") made.value = number(1);
    else throw Unreadable("unknown statement `" + made.does + "`");
    return made;
  }
  Action action(const Json& row) {
    Action made{row.at("name").str(), {}, row.at("text").kind == Json::list, {}, {}, row.at("does").index(), ground, 1,
                optional(row.at("weight"))};
    made.texts = made.each_text ? strings(row.at("text")) : vector<string>{row.at("text").str()};
    for (Int phase : wholes(row.at("phases"))) made.phases.insert(phase);
    for (auto& param : row.at("params").all()) {
      made.params.push_back({param.at("local").index(), strings(param.at("labels"))});
      auto& local = locals.at(made.params.back().local);
      made.count *= size_t(local.high - local.low + 1);
    }
    ground += made.count;
    return made;
  }
};

// -- playing a description ----------------------------------------------------------------------------------------------

using Env = vector<Int>;

class Play {
 public:
  explicit Play(Game& game) : game(game) {}
  Game& game;

  State initial() const {
    State made;
    for (auto& field : game.fields)
      for (Int value : field.start) made.push_back(int64_t(value));
    return made;
  }
  bool over(const State& state) const { return state.at(1) != 0; }
  const Phase& phase(const State& state) const { return game.phases.at(size_t(state.at(0))); }

  Env bound(const Action& action, size_t ident) const {
    Env env(game.locals.size());
    auto values = game.values(action, ident);
    for (size_t n = 0; n < values.size(); ++n) env.at(action.params[n].local) = values[n];
    return env;
  }
  bool legal(const State& state, size_t ident) {
    auto& action = game.action_of(ident);
    if (over(state) || !action.phases.contains(state[0])) return false;
    Env env = bound(action, ident);
    bool met = true;
    ask(action.does, state, env, met);
    if (!met) return false;
    return !phase(state).chance || !action.weight || value(*action.weight, state, env) > 0;
  }
  vector<size_t> all_legal(const State& state) {
    vector<size_t> made;
    for (auto& action : game.actions)
      if (!over(state) && action.phases.contains(state[0]))
        for (size_t ident = action.first; ident < action.first + action.count; ++ident)
          if (legal(state, ident)) made.push_back(ident);
    return made;
  }
  State effects(const State& before, size_t ident) {
    auto& action = game.action_of(ident);
    State after = before;
    Env env = bound(action, ident);
    run(action.does, after, env);
    return after;
  }
  /// The state, and the state behind each automatic phase until somebody acts or the game is over.
  vector<State> moments(const State& state) {
    vector<State> made{state};
    settled(state, &made);
    return made;
  }
  State after_phase(State state) {
    Env env(game.locals.size());
    run(phase(state).does, state, env);
    return state;
  }
  State settled(State state, vector<State>* on_the_way = nullptr) {
    for (int left = MOST_PHASES; !over(state) && phase(state).automatic; --left) {
      if (!left) throw Fault("automatic phases do not end", false);
      state = after_phase(state);
      if (on_the_way) on_the_way->push_back(state);
    }
    return state;
  }
  State start() { return settled(initial()); }
  State replayed(State state, const vector<size_t>& idents, size_t from, size_t to) {
    for (size_t n = from; n < to; ++n) {
      if (idents[n] >= game.ground || !legal(state, idents[n]))
        throw Illegal("action " + std::to_string(n + 1) + " is not legal");
      state = settled(effects(state, idents[n]));
    }
    return state;
  }

  /// The weight of a result of chance: it may use what is kept before the effects.
  Int weight(const Action& action, const State& state, Env& env) {
    bool met = true;
    ask(action.does, state, env, met);
    return value(*action.weight, state, env);
  }
  Int value(size_t number, const State& state, Env& env) {
    const Term& term = game.terms.at(number);
    auto arg = [&](size_t n) { return value(term.args.at(n), state, env); };
    const string& op = term.op;
    if (op == "value") return term.value;
    if (op == "local") return env.at(term.on);
    if (op == "read") {
      auto& field = game.fields.at(term.on);
      Int index = arg(0);
      if (index < 0 || index >= Int(field.size)) throw Fault("an index lies outside its field");
      return state[field.offset + size_t(index)];
    }
    if (op == "lookup") {
      auto& table = game.tables.at(term.on).values;
      Int index = arg(0);
      if (index < 0 || index >= Int(table.size())) throw Fault("an index lies outside its table");
      return table[size_t(index)];
    }
    if (op == "call") {
      const Rule& rule = game.functions.at(term.on);
      vector<Int> given;
      for (size_t n = 0; n < term.args.size(); ++n) given.push_back(arg(n));
      Env inner(env.size());
      for (size_t n = 0; n < given.size(); ++n) inner.at(rule.params.at(n)) = given[n];
      return value(rule.body, state, inner);
    }
    if (op == "pick") return arg(arg(0) ? 1 : 2);
    if (op == "and") return arg(0) && arg(1);
    if (op == "or") return arg(0) || arg(1);
    if (op == "not") return !arg(0);
    if (op == "sum" || op == "any" || op == "all" || op == "min of" || op == "max of") return over_all(term, state, env);
    Int a = arg(0);
    if (op == "abs") return a < 0 ? -a : a;
    Int b = arg(1), made = 0;
    bool big = false;
    if (op == "+") big = __builtin_add_overflow(a, b, &made);
    else if (op == "-") big = __builtin_sub_overflow(a, b, &made);
    else if (op == "*") big = __builtin_mul_overflow(a, b, &made);
    else if (op == "//" || op == "%") {
      if (b <= 0) throw Unreadable("a divisor is not above 0");
      Int rest = ((a % b) + b) % b;
      made = op == "%" ? rest : (a - rest) / b;
    } else if (op == "==") made = a == b;
    else if (op == "!=") made = a != b;
    else if (op == "<") made = a < b;
    else if (op == "<=") made = a <= b;
    else if (op == "min") made = std::min(a, b);
    else if (op == "max") made = std::max(a, b);
    else throw Unreadable("unknown term `" + op + "`");
    if (big) throw Left("a number has more than 127 bits");
    return made;
  }
  Int value(size_t number, const State& state) {
    Env env(game.locals.size());
    return value(number, state, env);
  }

 private:
  Int over_all(const Term& term, const State& state, Env& env) {
    const Local& local = game.locals.at(term.on);
    const size_t variable = term.on, inside = term.args.at(0);
    const string op = term.op;
    Int before = env.at(variable), made = op == "all";
    for (Int i = local.low; i <= local.high; ++i) {
      env[variable] = i;
      Int each = value(inside, state, env);
      if (op == "sum") { if (__builtin_add_overflow(made, each, &made)) throw Left("a number has more than 127 bits"); }
      else if (op == "any") made = made || each;
      else if (op == "all") made = made && each;
      else made = i == local.low ? each : op == "min of" ? std::min(made, each) : std::max(made, each);
    }
    env[variable] = before;
    return made;
  }
  void keep(const Statement& s, const State& state, Env& env) {
    const Local& local = game.locals.at(s.on);
    Int made = value(s.value, state, env);
    if (made < local.low || made > local.high) throw Fault("`" + local.name + "` leaves its bounds");
    env[s.on] = made;
  }
  /// Read the requirements of a block until one is not met. Returns whether an effect was found, which ends them.
  bool ask(size_t block, const State& state, Env& env, bool& met) {
    for (auto& s : game.blocks.at(block)) {
      if (s.does == "require") met = value(s.value, state, env) != 0;
      else if (s.does == "keep") keep(s, state, env);
      else if (s.does == "if") { if (ask(value(s.value, state, env) ? s.then : s.other, state, env, met)) return true; }
      else if (s.does == "loop") {
        const Local& local = game.locals.at(s.on);
        for (Int i = local.low; i <= local.high && met; ++i) {
          env[s.on] = i;
          if (ask(s.then, state, env, met)) return true;
        }
      } else return true;
      if (!met) return true;
    }
    return false;
  }
  void run(size_t block, State& state, Env& env) {
    for (auto& s : game.blocks.at(block)) {
      if (s.does == "set") {
        auto& field = game.fields.at(s.on);
        Int made = value(s.value, state, env), index = value(s.index, state, env);
        if (made < field.low || made > field.high) throw Fault("`" + field.name + "` leaves its bounds");
        if (index < 0 || index >= Int(field.size)) throw Fault("an index lies outside its field");
        state[field.offset + size_t(index)] = int64_t(made);
      } else if (s.does == "keep") keep(s, state, env);
      else if (s.does == "if") run(value(s.value, state, env) ? s.then : s.other, state, env);
      else if (s.does == "loop") {
        const Local& local = game.locals.at(s.on);
        for (Int i = local.low; i <= local.high; ++i) {
          env[s.on] = i;
          run(s.then, state, env);
        }
      } else if (s.does == "do") {
        const Rule& rule = game.procedures.at(s.on);
        Env inner(env.size());
        for (size_t n = 0; n < s.args.size(); ++n) {
          size_t param = rule.params.at(n);
          inner.at(param) = value(s.args[n], state, env);
          const Local& local = game.locals.at(param);
          if (inner[param] < local.low || inner[param] > local.high) throw Fault("`" + local.name + "` leaves its bounds");
        }
        run(rule.body, state, inner);
      } else if (s.does == "finish" && !state[1]) state[1] = int64_t(s.on) + 1;
    }
  }
};

// -- conditions as text (claims.md, "Conditions") -------------------------------------------------------------------

class Condition {
 public:
  Condition(Game& game, const string& text, std::map<string, size_t> params = {}) : game_(game), params_(std::move(params)) {
    split(text);
  }
  size_t read() {
    size_t made = term(any());
    if (at_ != tokens_.size()) throw Refused("the condition goes on behind its end");
    return made;
  }

 private:
  /// A side of a comparison before it is known what it is compared with: a term, or a name.
  struct Side { std::optional<size_t> term; string name; char quote = 0; const Field* field = nullptr; };
  Game& game_;
  std::map<string, size_t> params_;
  std::set<size_t> counters_;
  vector<string> tokens_;
  size_t at_ = 0;
  int depth_ = 0;

  static bool letter(char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c < 0; }
  void split(const string& text) {
    for (size_t at = 0; at < text.size();) {
      size_t end = at + 1;
      if (isspace(static_cast<unsigned char>(text[at]))) { ++at; continue; }
      if (strings_quote(text[at])) {
        end = text.find(text[at], end);
        if (end == string::npos) throw Refused("a quote has no end");
        ++end;
        if (text[at] == '`' && end == at + 2) throw Refused("a name in backquotes is empty");
      } else if (letter(text[at])) {
        while (end < text.size() && letter(text[end])) ++end;
        if (game_.rows && !isdigit(static_cast<unsigned char>(text[at]))) end = dotted(text, at, end);
      } else if (string("=!<>").find(text[at]) != string::npos && end < text.size() && text[end] == '=') {
        ++end;
      } else if (string("-+*<>()[],:").find(text[at]) == string::npos) {
        throw Refused(string("`") + text[at] + "` is no sign of conditions");
      }
      tokens_.push_back(text.substr(at, end - at));
      at = end;
    }
  }
  /// The end of a name with dots, such as `gain.food`, or the end of its first word.
  static size_t dotted(const string& text, size_t at, size_t word) {
    auto part = [&](size_t from) {
      while (from < text.size() && (letter(text[from]) || text[from] == '-')) ++from;
      return from;
    };
    size_t end = part(at), first = end;
    while (end < text.size() && text[end] == '.' && part(end + 1) > end + 1) end = part(end + 1);
    return end > first ? end : word;
  }
  static bool strings_quote(char c) { return c == '`' || c == '"' || c == '\''; }
  string next() const { return at_ < tokens_.size() ? tokens_[at_] : ""; }
  bool take(const string& wanted) {
    if (next() != wanted) return false;
    ++at_;
    return true;
  }
  static Side made(size_t term) { return {term}; }
  size_t term(const Side& side) {
    if (side.field && side.field->text) throw Left("a text stands where a number is meant");
    if (side.term) return *side.term;
    if (side.quote == '"') throw Refused("\"" + side.name + "\" is compared with nothing whose values have names");
    return named(side.name);
  }

  Side any() {
    if (++depth_ > 50) throw Refused("more than 50 parentheses in one another");
    Side left = every();
    while (take("or")) left = made(game_.apply("or", {truth(term(left)), truth(term(every()))}));
    --depth_;
    return left;
  }
  Side every() {
    Side left = part();
    while (take("and")) left = made(game_.apply("and", {truth(term(left)), truth(term(part()))}));
    return left;
  }
  size_t truth(size_t term) { return game_.apply("!=", {term, game_.constant(0)}); }
  Side part() {
    bool turned = false, some = false;
    while (take("not")) turned = !turned, some = true;
    Side side = comparison();
    if (!some) return side;
    size_t condition = truth(term(side));
    return made(turned ? game_.apply("not", {condition}) : condition);
  }
  Side comparison() {
    vector<Side> sides{sum()};
    vector<string> signs;
    static const std::set<string> all{"==", "!=", "<", "<=", ">", ">="};
    while (all.contains(next())) {
      signs.push_back(tokens_[at_++]);
      sides.push_back(sum());
    }
    if (signs.empty()) return sides[0];
    std::set<string> used(signs.begin(), signs.end());
    bool up = true, down = true;
    for (auto& sign : used) up &= sign == "<" || sign == "<=" || sign == "==", down &= sign == ">" || sign == ">=" || sign == "==";
    if (signs.size() > 1 && !up && !down) throw Refused("the signs of a comparison point two ways");
    const Field* held = nullptr;
    for (auto& side : sides) {
      bool kind = held && held->text && held->name == "kind" && !side.quote;  // a kind is compared with kinds alone
      if (kind && std::find(held->labels.begin(), held->labels.end(), side.name) != held->labels.end()) side.field = nullptr;
      if (!side.field) continue;
      if (side.field->text && (held || used.size() > 1 || (signs[0] != "==" && signs[0] != "!="))) throw Left("texts are compared");
      if (held && (held->labels != side.field->labels || held->low != side.field->low))
        throw Refused("the values of two fields have other names");
      if (!held) held = side.field;
    }
    for (auto& side : sides)
      if (held && held->text && side.term) throw Left("a text is compared with a number");
    vector<vector<size_t>> meant;
    for (auto& side : sides) meant.push_back(values(side, held));
    size_t joined = game_.constant(1);
    for (size_t n = 0; n < signs.size(); ++n) joined = game_.apply("and", {joined, pair(meant[n], signs[n], meant[n + 1])});
    return made(joined);
  }
  size_t pair(const vector<size_t>& left, const string& sign, const vector<size_t>& right) {
    if (left.size() * right.size() > 1 && sign != "==" && sign != "!=") throw Refused("a name of several values is compared");
    bool turned = sign[0] == '>';
    string op = sign == ">" ? "<" : sign == ">=" ? "<=" : sign == "!=" ? "==" : sign;
    size_t some = game_.constant(0);
    for (size_t a : left)
      for (size_t b : right) some = game_.apply("or", {some, game_.apply(op, turned ? vector{b, a} : vector{a, b})});
    return sign == "!=" ? game_.apply("not", {some}) : some;
  }
  bool is_number(const string& name) const { return params_.contains(name) || game_.quantities.contains(name) || field(name); }
  const Field* field(const string& name) const {
    for (auto& each : game_.fields)
      if (each.name == name) return &each;
    return nullptr;
  }
  /// The terms that a side may be: one, or each value of the field beside it that has this name.
  vector<size_t> values(const Side& side, const Field* held) {
    if (held && side.field == held) return {side.term ? *side.term : named(side.name)};
    if (side.term) return {term(side)};
    bool name = side.quote != '"' && is_number(side.name);
    vector<size_t> found;
    if (held)
      for (size_t n = 0; n < held->labels.size(); ++n)
        if (held->labels[n] == side.name) found.push_back(game_.constant(held->low + Int(n)));
    if (held && held->text && held->name == "kind" && !found.empty() && !side.quote) return found;
    if (held && held->text && name && (side.quote || found.empty())) throw Left("a text is compared with a number");
    if (name && !found.empty() && !side.quote) throw Refused("`" + side.name + "` names a number and a value");
    if (name || !held) return {term(side)};
    if (found.empty() && !held->text && !side.quote && (side.name == "True" || side.name == "False")) return {game_.constant(side.name == "True")};
    if (found.empty()) throw Refused("`" + side.name + "` is no value of `" + held->name + "`");
    return found;
  }
  Side sum() {
    Side left = product();
    while (next() == "+" || next() == "-") {
      string sign = tokens_[at_++];
      size_t a = term(left);
      left = made(game_.apply(sign, {a, term(product())}));
    }
    return left;
  }
  Side product() {
    Side left = factor();
    while (take("*")) {
      size_t a = term(left);
      left = made(game_.apply("*", {a, term(factor())}));
    }
    return left;
  }
  Side factor() {
    int negative = 0;
    while (take("-")) ++negative;
    Side side = atom();
    if (!negative) return side;
    size_t number = term(side);
    if (game_.terms[number].op == "value") return made(game_.constant(negative % 2 ? -game_.terms[number].value : game_.terms[number].value));
    return made(negative % 2 ? game_.apply("-", {game_.constant(0), number}) : game_.apply("+", {number, game_.constant(0)}));
  }
  Side atom() {
    string token = next();
    if (token.empty()) throw Refused("the condition ends too early");
    ++at_;
    if (token == "(") {
      Side inner = any();
      if (!take(")")) throw Refused("expected `)`");
      return inner;
    }
    if (isdigit(static_cast<unsigned char>(token[0]))) return made(game_.constant(number(token)));
    if (token[0] == '"' || token[0] == '\'') return {{}, token.substr(1, token.size() - 2), '"'};
    Side side{{}, token};
    if (token[0] == '`') side = {{}, token.substr(1, token.size() - 2), '`'};
    else if (!letter(token[0]) || token == "and" || token == "or" || token == "not") throw Refused("expected a number or a name, found `" + token + "`");
    if (!params_.contains(side.name) && !game_.quantities.contains(side.name))
      if (auto held = field(side.name); held && held->shape.empty() && !held->labels.empty()) side.field = held;
    if (token == "was" && next() == "(") throw Left("a condition speaks of the state before the step");
    if (side.quote != '`' && (token == "sum" || token == "any" || token == "all") && take("(")) return over_all(token);
    if (!take("[")) return side;
    vector<size_t> place;
    do place.push_back(term(sum())); while (take(","));
    if (!take("]")) throw Refused("expected `]`");
    auto held = field(side.name);
    bool cells = held && !held->shape.empty();
    size_t number = cells ? size_t(held - game_.fields.data()) : table(side.name);
    auto shape = cells ? held->shape : game_.tables[number].shape;
    if (shape.size() != place.size()) throw Refused("`" + side.name + "` is no such array");
    size_t index = game_.constant(0);
    for (size_t n = 0; n < place.size(); ++n) {
      const Term at = game_.terms[place[n]];
      bool counter = at.op == "local" && counters_.contains(at.on);
      Int least = counter ? 0 : at.value, most = counter ? game_.locals[at.on].high : at.value;
      if ((counter || at.op == "value") && (least < 0 || most >= shape[n])) throw Refused("`" + side.name + "` has no such cell");
      size_t near = game_.apply("max", {game_.constant(0), game_.apply("min", {place[n], game_.constant(shape[n] - 1)})});
      index = game_.apply("+", {game_.apply("*", {index, game_.constant(shape[n])}), near});
    }
    Side cell{game_.add({cells ? "read" : "lookup", number, {index}, 0})};
    if (cells && !held->labels.empty()) cell.field = held;
    return cell;
  }
  size_t table(const string& name) const {
    for (size_t n = 0; n < game_.tables.size(); ++n)
      if (game_.tables[n].name == name) return n;
    throw Refused("`" + name + "` is no array of the game");
  }
  /// `sum(i in board: ...)` behind its parenthesis; `any` and `all` read alike.
  Side over_all(const string& op) {
    string counter = next(), rows = (++at_, take("in") ? next() : "");
    if (rows.empty() || counter.empty() || !letter(counter[0]) || isdigit(static_cast<unsigned char>(counter[0])))
      throw Refused("expected a counter, `in`, and what it counts");
    if (is_number(counter)) throw Refused("`" + counter + "` has a meaning already");
    ++at_;
    Int count = 0;
    if (rows[0] == '`') rows = rows.substr(1, rows.size() - 2);
    if (isdigit(static_cast<unsigned char>(rows[0]))) count = number(rows);
    else if (auto held = field(rows); held && !held->shape.empty()) count = held->shape[0];
    else count = game_.tables[table(rows)].shape.at(0);
    if (!take(":") || count < 1) throw Refused("expected some rows, and `:`");
    size_t local = game_.locals.size();
    game_.locals.push_back({counter, 0, count - 1});
    counters_.insert(local);
    params_[counter] = game_.add({"local", local});
    size_t part = term(any());
    params_.erase(counter);
    if (!take(")")) throw Refused("expected `)`");
    return made(game_.add({op, local, {op == "sum" ? part : truth(part)}, 0}));
  }
  static Int number(const string& token) {
    if (token.empty() || !std::all_of(token.begin(), token.end(), [](unsigned char c) { return isdigit(c); }) ||
        (token.size() > 1 && token[0] == '0'))
      throw Refused("expected a whole number, found `" + token + "`");
    return as_int(token);
  }

 public:
  /// A quantity, a field of one cell, or a condition that the game declares, by name.
  size_t named(const string& name) {
    if (auto known = params_.find(name); known != params_.end()) return known->second;
    if (auto known = game_.quantities.find(name); known != game_.quantities.end()) return known->second;
    auto held = field(name);
    if (held && held->shape.empty()) return game_.add({"read", size_t(held - game_.fields.data()), {game_.constant(0)}});
    if (auto declared = invariant(game_, name)) return *declared;
    if (!held && (name == "True" || name == "False")) return game_.constant(name == "True");
    throw Refused("`" + name + "` is no number of the game");
  }
  static std::optional<size_t> invariant(Game& game, const string& name) {
    auto fact = game.facts.find("invariants");
    if (fact == game.facts.end() || fact->second.kind != Json::map) return {};
    for (auto& row : fact->second.at("map").all()) {
      if (row.all().at(0).kind != Json::text || row.items[0].words != name) continue;
      auto& value = row.items.at(1);
      return value.kind == Json::map ? value.at("term").index() : game.constant(value.value);
    }
    return {};
  }
};

// -- events and laws (claims.md, "Targets" and "Steps") ----------------------------------------------------------

using Idents = std::set<size_t>;
struct Target { size_t condition; std::optional<Idents> idents; };

bool all_digits(const string& text) {
  size_t from = text[0] == '-';
  return text.size() > from && text.size() <= from + 60 &&
         std::all_of(text.begin() + long(from), text.end(), [](unsigned char c) { return isdigit(c); });
}
string plain(const Json& json) {
  if (json.kind == Json::text) return json.words;
  if (json.kind == Json::number) return digits(json.value);
  if (json.kind == Json::truth) return json.value ? "True" : "False";
  throw Refused("expected a text or a number");
}
Int whole(const Json& json) {
  if (json.kind == Json::number) return json.value;
  if (json.kind != Json::text || !all_digits(json.words)) throw Refused("expected a whole number");
  return as_int(json.words);
}
void known(const Json& json, std::initializer_list<const char*> keys) {
  for (auto& [name, value] : json.pairs)
    if (std::find(keys.begin(), keys.end(), name) == keys.end()) throw Refused("unknown key `" + name + "`");
}

class Targets {
 public:
  explicit Targets(Game& game) : game_(game) {}

  Target event(const Json& about) {
    Target target = read(about.at("of"), bound(about.at("within")));
    const string& name = about.at("number").str();
    string relation = about.at("relation").str();
    Int value = about.at("value").whole();
    if (name.empty()) return target;
    if (relation != "<" && relation != "==" && relation != ">") throw Refused("expected <, == or >");
    vector<size_t> sides{number(name), game_.constant(value)};
    if (relation == ">") std::swap(sides[0], sides[1]);
    target.condition = both(target.condition, game_.apply(relation == "==" ? "==" : "<", sides));
    return target;
  }
  size_t number(const string& name) {
    vector<string> names{name};
    bool field = std::any_of(game_.fields.begin(), game_.fields.end(), [&](auto& f) { return f.name == name; });
    if (!field) {
      if (name.ends_with("s")) names.push_back(name.substr(0, name.size() - 1));
      auto round = game_.facts.find("round");
      if ((name == "round" || name == "rounds") && round != game_.facts.end() && round->second.kind == Json::text)
        names.push_back(round->second.words);
    }
    for (auto& each : names)
      if (auto known = game_.quantities.find(each); known != game_.quantities.end()) return known->second;
    return Condition(game_, name).read();
  }
  Target read(const Json& of, size_t bound) {
    if (of.kind == Json::text) return {both(Condition(game_, of.words).read(), bound), {}};
    if (of.kind != Json::map) throw Refused("expected what the claim is about");
    if (of.get("every")) throw Left("a family in place of an event");
    if (auto inner = of.get("not")) {
      known(of, {"not"});
      if (inner->kind == Json::map && inner->get("action")) throw Refused("no state is the opposite of an action");
      Target turned = read(*inner, game_.constant(1));
      return {both(game_.apply("not", {turned.condition}), bound), {}};
    }
    if (of.get("outcome") || of.get("reason")) {
      known(of, {"outcome", "reason", "seat"});
      return {both(ending(of), bound), {}};
    }
    if (of.get("action")) return {bound, idents(of)};
    for (string kind : {"reach", "holds", "invariant"}) {
      auto text = of.get(kind);
      if (!text) continue;
      known(of, {kind.c_str(), "with"});
      if (auto with = of.get("with")) {
        if (with->kind != Json::list) throw Refused("expected `with` as a list");
        for (auto& each : with->items) Condition(game_, plain(each)).read();
      }
      auto declared = Condition::invariant(game_, plain(*text));
      if (kind == "invariant" && declared) return {both(*declared, bound), {}};
      if (declared && !is_name(plain(*text))) throw Refused("the condition is the name of another one");
      return {both(Condition(game_, plain(*text)).read(), bound), {}};
    }
    throw Refused("no such target");
  }
  Idents idents(const Json& of) {
    string name = plain(of.at("action"));
    string words = name.ends_with("]") ? name.substr(0, name.size() - 1) : name, number;
    if (auto at = words.find(" [#"); at != string::npos) number = words.substr(at + 3), words = words.substr(0, at);
    Idents by_name, by_words;
    for (auto& action : game_.actions)
      for (size_t ident = action.first; ident < action.first + action.count; ++ident) {
        if (action.name == name && fits(action, ident, of)) by_name.insert(ident);
        if (of.pairs.size() == 1 && game_.show(ident) == words && (number.empty() || number == std::to_string(ident))) by_words.insert(ident);
      }
    if (!by_name.empty() && !std::includes(by_name.begin(), by_name.end(), by_words.begin(), by_words.end()))
      throw Refused("`" + name + "` is the name of an action, and the words of another");
    if (by_name.empty() && by_words.empty()) throw Refused("no action `" + name + "`");
    return by_name.empty() ? by_words : by_name;
  }
  size_t both(size_t a, size_t b) { return game_.apply("and", {a, b}); }

 private:
  Game& game_;

  static bool is_name(const string& text) {
    return !text.empty() && !isdigit(static_cast<unsigned char>(text[0])) &&
           std::all_of(text.begin(), text.end(), [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '_' || c < 0; });
  }
  size_t bound(const Json& within) {
    if (within.kind == Json::null) return game_.constant(1);
    if (within.kind == Json::text) {
      if (all_digits(within.words)) throw Refused("expected `within` as a condition");
      return Condition(game_, within.words).read();
    }
    if (within.kind != Json::map) throw Refused("expected `within` as a condition");
    size_t made = game_.constant(1);
    for (auto& [name, most] : within.pairs) made = both(made, game_.apply("<=", {number(name), game_.constant(whole(most))}));
    return made;
  }
  bool fits(const Action& action, size_t ident, const Json& of) {
    auto values = game_.values(action, ident);
    for (auto& [key, json] : of.pairs) {
      if (key == "action") continue;
      string wanted = plain(json);
      bool good = false;
      for (size_t n = 0; n < values.size(); ++n)
        if (game_.locals.at(action.params[n].local).name == key) good = meant(action.params[n], wanted).contains(values[n]);
      if (!good) return false;
    }
    return true;
  }
  std::set<Int> meant(const Parameter& param, const string& wanted) {
    std::set<Int> exact, numbered, begun;
    auto& local = game_.locals.at(param.local);
    for (Int value = local.low; value <= local.high; ++value) {
      string shown = game_.show(param, value);
      if (shown == wanted) exact.insert(value);
      if (digits(value) == wanted) numbered.insert(value);
      if (shown.starts_with(wanted + " ")) begun.insert(value);
    }
    return !exact.empty() ? exact : !numbered.empty() ? numbered : begun;
  }

  static string lower(string text) {
    for (char& c : text) {
      if (c < 0) throw Left("words of an ending with letters beyond ASCII are compared");
      c = char(tolower(c));
    }
    return text;
  }
  size_t ending(const Json& of) {
    std::set<string> kinds;
    if (auto outcome = of.get("outcome")) {
      for (auto& each : outcome->kind == Json::list ? outcome->items : vector<Json>{*outcome}) {
        string kind = each.kind == Json::text ? each.words : "";
        if (kind != "win" && kind != "loss" && kind != "draw" && kind != "tie" && kind != "scores") throw Refused("no such outcome");
        kinds.insert(kind == "tie" ? "draw" : kind);
      }
      if (kinds.empty()) throw Refused("`outcome` is an empty list");
      bool draws = false, scores = false;
      for (auto& e : game_.endings) draws |= e.kind == "draw", scores |= e.kind == "scores";
      if (kinds.contains("draw") && scores && !draws) throw Refused("no ending of the game is a draw");
    }
    bool win = kinds.contains("win");
    string reason;
    if (auto given = of.get("reason")) {
      if (given->kind != Json::text && given->kind != Json::number) throw Refused("expected words of an ending");
      reason = plain(*given);
      if (reason.empty()) throw Refused("expected words of an ending");
    }
    std::optional<Int> seat;
    if (auto given = of.get("seat"); given && given->kind != Json::null) {
      if (!win) throw Refused("`seat` stands beside a win alone");
      seat = whole(*given);
      if (*seat < 0 || *seat >= game_.players) throw Refused("no such seat");
    }
    vector<size_t> asked, exact, similar;
    for (size_t n = 0; n < game_.endings.size(); ++n) {
      auto& e = game_.endings[n];
      if (kinds.empty() || kinds.contains(e.kind) || (win && e.kind == "scores")) asked.push_back(n);
    }
    for (size_t n : asked)
      if (game_.endings[n].reason == reason) exact.push_back(n);
    if (exact.empty())
      for (size_t n : asked)
        if (reason.empty() || lower(game_.endings[n].reason).find(lower(reason)) != string::npos) similar.push_back(n);
    auto& matching = exact.empty() ? similar : exact;
    if (matching.empty() && !reason.empty()) throw Refused("no ending for the reason");
    size_t made = game_.constant(0);
    for (size_t n : matching) {
      auto& e = game_.endings[n];
      bool can_win = e.kind == "win" || e.kind == "scores";
      made = game_.apply("or", {made, over_by(n, can_win ? seat : std::nullopt, win && !kinds.contains("scores"))});
    }
    return made;
  }
  size_t over_by(size_t n, std::optional<Int> seat, bool won) {
    auto& e = game_.endings[n];
    size_t outcome = game_.add({"read", 1, {game_.constant(0)}});
    size_t over = game_.apply("==", {outcome, game_.constant(Int(n) + 1)});
    size_t some = game_.constant(0);
    if (e.kind == "scores") {
      if (!won) return over;
      for (Int s = 0; s < game_.players; ++s)
        if (!seat || *seat == s) some = game_.apply("or", {some, has_most(s)});
      return both(over, some);
    }
    if (!seat || e.shared) return over;
    size_t winner = e.winner ? *e.winner : game_.constant(0);
    for (Int member : game_.team_of(*seat)) some = game_.apply("or", {some, game_.apply("==", {winner, game_.constant(member)})});
    return both(over, some);
  }
  size_t has_most(Int seat) {
    if (!game_.payoffs) return game_.constant(0);
    auto team = game_.team_of(seat);
    size_t made = game_.constant(1), mine = game_.payoffs->at(size_t(seat));
    bool others = false;
    for (Int s = 0; s < game_.players; ++s) {
      if (std::find(team.begin(), team.end(), s) != team.end()) continue;
      others = true;
      made = both(made, game_.apply("<", {game_.payoffs->at(size_t(s)), mine}));
    }
    return others ? made : game_.apply("<", {game_.constant(0), mine});
  }
};

struct Law {
  Idents idents;
  std::optional<int64_t> phase;
  std::optional<Idents> can;
  size_t when, needs, leads;
  vector<std::pair<size_t, size_t>> changes;
};

class Laws {
 public:
  Laws(Play& play, const Json& spec) : play_(play), game_(play.game) {
    if (spec.kind != Json::map) throw Refused("expected a law of steps");
    if (spec.get("legal") || spec.get("only")) throw Left("a law that says `legal` or `only`");
    Json target = spec;
    std::erase_if(target.pairs, [](auto& pair) {
      return std::set<string>{"when", "needs", "changes", "leads", "can"}.contains(pair.first);
    });
    if (!spec.get("needs") && !spec.get("changes") && !spec.get("leads") && !spec.get("can")) throw Refused("the law says nothing");
    std::map<string, size_t> params;
    if (auto can = spec.get("can")) {
      known(spec, {"when", "can"});
      law.can = idents(*can);
    } else if (auto phase = target.get("phase")) {
      if (target.pairs.size() != 1) throw Refused("a law speaks of actions or of a phase");
      for (size_t n = 0; n < game_.phases.size(); ++n)
        if (game_.phases[n].automatic && game_.phases[n].name == plain(*phase)) law.phase = int64_t(n);
      if (!law.phase) throw Refused("no such automatic phase");
    } else {
      law.idents = idents(target);
      params = parameters();
    }
    auto read = [&](const char* key) {
      auto text = spec.get(key);
      return text ? Condition(game_, plain(*text), params).read() : game_.constant(1);
    };
    law.when = read("when"), law.needs = read("needs"), law.leads = read("leads");
    if (auto changes = spec.get("changes"); changes && changes->kind != Json::null) {
      if (changes->kind != Json::map) throw Refused("expected `changes` as `number: by how much`");
      for (auto& [name, by] : changes->pairs)
        law.changes.emplace_back(Targets(game_).number(name), Condition(game_, plain(by), params).read());
    }
  }
  Law law;

  /// Whether a legal action, or an automatic phase that follows it, breaks the law.
  bool breaks(const State& before, size_t ident) {
    auto after = play_.moments(play_.effects(before, ident));
    if (law.idents.contains(ident) && wrong(before, after[0], play_.bound(game_.action_of(ident), ident))) return true;
    return phase_breaks(after);
  }
  bool at_the_start() { return law.phase && phase_breaks(play_.moments(play_.initial())); }
  /// Whether somebody is to act where the law wants some action to be legal, and none of them is.
  bool barred(const State& state) {
    if (!law.can || play_.over(state) || !play_.value(law.when, state)) return false;
    auto legal = play_.all_legal(state);
    return std::none_of(legal.begin(), legal.end(), [&](size_t ident) { return law.can->contains(ident); });
  }

 private:
  Play& play_;
  Game& game_;

  Idents idents(const Json& target) {
    if (target.kind != Json::map || !target.get("action")) throw Refused("a law of steps speaks of an action");
    if (target.at("action").kind != Json::list) return Targets(game_).idents(target);
    Idents made;
    for (auto& name : target.at("action").items) {
      Json each = target;
      for (auto& [key, value] : each.pairs)
        if (key == "action") value = name;
      made.merge(Targets(game_).idents(each));
    }
    if (made.empty()) throw Refused("the law speaks of no action");
    return made;
  }
  /// The parameters that a condition may name: those of the action, if the law is about one action only.
  std::map<string, size_t> parameters() {
    std::map<string, size_t> made;
    const Action* only = nullptr;
    for (size_t ident : law.idents) {
      auto& action = game_.action_of(ident);
      if (only && only != &action) return {};
      only = &action;
    }
    for (auto& param : only->params) made[game_.locals.at(param.local).name] = game_.add({"local", param.local});
    return made;
  }
  bool wrong(const State& before, const State& after, Env env) {
    if (!play_.value(law.when, before, env)) return false;
    for (auto& [number, by] : law.changes)
      if (play_.value(number, after) - play_.value(number, before) != play_.value(by, before, env)) return true;
    return !play_.value(law.needs, before, env) || !play_.value(law.leads, after, env);
  }
  bool phase_breaks(const vector<State>& states) {
    for (size_t n = 1; law.phase && n < states.size(); ++n)
      if (states[n - 1][0] == *law.phase && wrong(states[n - 1], states[n], Env(game_.locals.size()))) return true;
    return false;
  }
};

// -- rows of cards (claims.md, "The ledger") --------------------------------------------------------------------------

/// What cards print, counted. The cards are the file that `export archive` names by their digest: components as
/// ["Component", id, kind, name, count, fields, ...], and in their fields ["Effect", word, arguments, null],
/// ["Either", alternatives, null], ["Option", letter, needs, cost, effects, to, ...] and ["float", digits].
class Ledger {
 public:
  Ledger(const Json& cards, const Json& spec) : spec_(spec) {
    known(spec.is(Json::map, "what to count of the cards"),
          {"each", "where", "by", "band", "alike", "worth", "sum", "least", "most", "holds"});
    each_ = spec.get("each") ? plain(spec.at("each")) : "card";
    if (each_ != "card" && each_ != "copy" && each_ != "option" && each_ != "effect") throw Refused("no such rows");
    for (auto& card : cards.all()) add_rows(card, each_, rows_);
    vector<Row> others = rows_;
    if (spec.get("worth"))
      for (auto& card : cards.all()) add_rows(card, "card", others), add_rows(card, "option", others);
    for (auto& [name, worth] : spec.get("worth") ? spec.at("worth").is(Json::map, "a table").pairs : none_) {
      if (std::none_of(others.begin(), others.end(), [&](auto& row) { return row.numbers.contains(name); }))
        throw Refused("`" + name + "` of the worth table is printed nowhere");
      worth_[name] = worth.whole();
    }
    if (!worth_.empty())
      for (auto& row : rows_) row.numbers["worth"] = worth(row.printed), row.texts.erase("worth");
    make_names();
  }
  /// The value that a claim asks of, and the rows that it speaks of, with their part of it.
  std::pair<Json, vector<string>> count() {
    string measure;
    for (string key : {"sum", "least", "most", "holds"})
      if (spec_.get(key) && !std::exchange(measure, key).empty()) throw Refused("one measure alone");
    vector<const Row*> chosen;
    vector<string> members;
    size_t where = read("where"), number = measure.empty() ? names_.constant(1) : read(measure);
    for (auto& row : rows_)
      if (value(where, row)) chosen.push_back(&row);
    if (chosen.empty()) return {Json{}, {}};
    auto by = spec_.get("by"), band = spec_.get("band"), alike = spec_.get("alike");
    if (measure == "holds") {
      if (by || band || alike) throw Refused("`by`, `band` and `alike` say nothing beside `holds`");
      bool all = true;
      for (auto row : chosen) members.push_back(row->name), all = all && value(number, *row);
      return {truth(all), members};
    }
    vector<string> keys;
    if (by && by->kind == Json::list)
      for (auto& key : by->items) keys.push_back(plain(key));
    else if (by) keys.push_back(plain(*by));
    std::map<string, vector<const Row*>> groups;
    for (auto row : chosen) {
      string group;
      for (size_t n = 0; n < keys.size(); ++n) group += (n ? ", " : "") + named(keys[n], *row);
      groups[group].push_back(row);
    }
    bool good = true;
    if (alike) {
      if ((!measure.empty() && measure != "sum") || band) throw Refused("`alike` compares counts or sums");
      std::set<string> sides;
      for (auto row : chosen) sides.insert(named(plain(*alike), *row));
      if (sides.size() < 2) throw Refused("one value is compared with nothing");
      for (auto& [group, of] : groups) {
        string text;
        std::set<Int> sums;
        for (auto& side : sides) {
          Int sum = 0;
          for (auto row : of)
            if (named(plain(*alike), *row) == side) sum += value(number, *row) * row->weight;
          text += (text.empty() ? (group.empty() ? "all" : group) + ": " : ", ") + side + " " + digits(sum), sums.insert(sum);
        }
        members.push_back(text), good = good && sums.size() == 1;
      }
      return {truth(good), members};
    }
    Json made{Json::map};
    for (auto& [group, of] : groups) {
      Int all = measure == "least" || measure == "most" ? value(number, *of[0]) : 0;
      for (auto row : of) {
        Int part = value(number, *row);
        all = measure == "least" ? std::min(all, part) : measure == "most" ? std::max(all, part) : all + part * row->weight;
      }
      made.pairs.emplace_back(group, Json{Json::number, all});
      if (band) good = good && band->all().at(0).whole() <= all && all <= band->all().at(1).whole();
    }
    if (band && (band->items.size() != 2 || band->items[0].value > band->items[1].value)) throw Refused("expected [least, most]");
    for (auto row : chosen) members.push_back(row->name + ": " + digits(value(number, *row) * row->weight));
    return {band ? truth(good) : by ? made : made.pairs[0].second, members};
  }

 private:
  using Counts = std::map<string, Int>;
  using Printed = vector<std::pair<string, const Json*>>;
  struct Row { string name; Counts numbers; std::map<string, string> texts; Int weight; Printed printed; };
  const Json& spec_;
  const vector<std::pair<string, Json>> none_;
  string each_;
  vector<Row> rows_;
  Counts worth_;
  Game names_;  // a row is read as a state: a cell for each name
  std::set<string> numbers_;

  static Json truth(bool value) { return {Json::truth, value}; }
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

  void add_rows(const Json& card, const string& each, vector<Row>& rows) {
    if (!is(card, "Component", 9)) throw Unreadable("expected a component");
    auto& fields = card.items[5].is(Json::map, "fields").pairs;
    Row own{card.items[1].str(), {}, {}, each == "copy" ? card.items[4].whole() : 1, {}};
    vector<std::pair<string, const Json*>> values{{"name", &card.items[3]}};
    for (auto& [name, value] : fields) values.emplace_back(name, &value), own.printed.emplace_back(name, &value);
    for (auto [name, n] : {std::pair("id", 1), {"kind", 2}, {"count", 4}}) values.emplace_back(name, &card.items[size_t(n)]);
    for (auto& [name, value] : values) {
      own.numbers.erase(name), own.texts.erase(name);
      if (is_number(*value)) own.numbers[name] = value->value;
      else if (value->kind == Json::text) own.texts[name] = value->words;
    }
    if (each == "card" || each == "copy") {
      Counts numbers = count(own.printed);
      own.numbers.merge(numbers), rows.push_back(own);
      return;
    }
    for (auto& [field, value] : fields) {
      bool options = is_list(value) && std::any_of(value.items.begin(), value.items.end(), is_option);
      if (!options && each == "effect") add_effects(own, field, value, rows);
      for (auto& option : value.items) {  // rows point into the cards, so this is no copy
        if (!options || !is_option(option)) continue;
        Row row = own;
        row.texts["option"] = option.items[1].str(), row.texts["to"] = option.items[5].str(), row.texts["needs"] = option.items[2].str();
        if (each == "effect") {
          add_effects(row, "cost", option.items[3], rows), add_effects(row, "effects", option.items[4], rows);
          continue;
        }
        row.name += " " + option.items[1].str();
        row.printed = {{"cost", &option.items[3]}, {"effects", &option.items[4]}, {"to", &option.items[5]}, {"needs", &option.items[2]}};
        Counts numbers = count(row.printed);
        row.numbers.merge(numbers), rows.push_back(row);
      }
    }
  }
  void add_effects(const Row& own, const string& field, const Json& value, vector<Row>& rows) {
    if (is_effect(value)) {
      for (auto& [term, amount] : amounts(value)) {
        Row row = own;
        for (auto& word : {own.texts.contains("option") ? own.texts.at("option") : "", value.items[1].str(), term})
          if (!word.empty()) row.name += " " + word;
        row.numbers["amount"] = amount, row.printed = {};
        row.texts["field"] = field, row.texts["effect"] = value.items[1].str(), row.texts["term"] = term;
        rows.push_back(row);
      }
    } else if (is_either(value)) {
      for (auto& way : value.items[1].items)
        for (auto& effect : way.all()) add_effects(own, field, effect, rows);
    } else if (is_option(value)) {
      add_effects(own, field, value.items[3], rows), add_effects(own, field, value.items[4], rows);
    } else if (is_list(value)) {
      for (auto& item : value.items) add_effects(own, field, item, rows);
    } else if (value.kind == Json::map) {
      for (auto& [name, item] : value.pairs) add_effects(own, field, item, rows);
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
  Counts count(const Printed& printed) const {
    Counts made;
    for (auto& [name, value] : printed) add(made, count(name, *value));
    return made;
  }
  Counts count(const string& name, const Json& value) const {
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
        for (auto& effect : way.all()) add(ways.back(), count(name, effect));
      }
      for (auto& all : ways)
        for (auto& [part, number] : all) {
          Int most = number;
          for (auto& way : ways) most = std::max(most, way.contains(part) ? way.at(part) : 0);
          made[part] = most;
        }
    } else if (is_option(value)) {
      add(made, count(name, value.items[3])), add(made, count(name, value.items[4]));
    } else if (is_list(value)) {
      Int texts = 0;
      for (auto& item : value.items) add(made, count(name, item)), texts += item.kind == Json::text;
      if (texts) made[name] = texts;
    } else if (value.kind == Json::map) {
      Int plain = 0;
      bool some = false;
      for (auto& [key, part] : value.pairs) {
        add(made, count(name + "." + key, part));
        if (is_number(part)) plain += part.value, some = true;
      }
      if (some) made[name] = plain;
    }
    return made;
  }
  Int worth(const Printed& printed) const {
    Int made = 0;
    for (auto& [name, value] : printed) made += worth(name, *value);
    return made;
  }
  Int worth(const string& name, const Json& value) const {
    if (is_either(value)) {
      vector<Int> ways;
      for (auto& way : value.items[1].items) {
        ways.push_back(0);
        for (auto& effect : way.all()) ways.back() += worth(name, effect);
      }
      return ways.empty() ? throw Refused("no alternatives") : *std::max_element(ways.begin(), ways.end());
    }
    if (is_option(value)) return worth({{"cost", &value.items[3]}, {"effects", &value.items[4]}, {"to", &value.items[5]}});
    Int made = 0;
    if (is_list(value) && std::any_of(value.items.begin(), value.items.end(), [](auto& i) { return is_either(i) || is_option(i); })) {
      for (auto& item : value.items) made += worth(name, item);
      return made;
    }
    for (auto& [part, number] : count(name, value))
      if (worth_.contains(part)) made += worth_.at(part) * number;
    return made;
  }

  void make_names() {
    names_.rows = true;
    std::map<string, std::set<string>> texts;
    for (auto& row : rows_) {
      for (auto& [name, number] : row.numbers) numbers_.insert(name);
      for (auto& [name, text] : row.texts) texts[name].insert(text), texts[name].insert("");
    }
    auto field = [&](const string& name, const std::set<string>& labels) {
      names_.fields.push_back({name, 0, 0, {}, {0}, names_.cells++, 1, {labels.begin(), labels.end()}, !labels.empty()});
    };
    for (auto& name : numbers_) field(name, {});
    for (auto& [name, labels] : texts)
      if (!numbers_.contains(name)) field(name, labels);
  }
  size_t read(const string& key) {
    return spec_.get(key) ? Condition(names_, plain(spec_.at(key))).read() : names_.constant(1);
  }
  Int value(size_t term, const Row& row) {
    State cells;
    for (auto& field : names_.fields) {
      Int number = row.numbers.contains(field.name) ? row.numbers.at(field.name) : 0;
      string text = row.texts.contains(field.name) ? row.texts.at(field.name) : "";
      cells.push_back(int64_t(field.text ? std::find(field.labels.begin(), field.labels.end(), text) - field.labels.begin() : number));
    }
    return Play(names_).value(term, cells);
  }
  string named(const string& name, const Row& row) const {
    if (std::none_of(names_.fields.begin(), names_.fields.end(), [&](auto& field) { return field.name == name; }))
      throw Refused("no row has the name `" + name + "`");
    if (row.texts.contains(name)) return row.texts.at(name);
    return row.numbers.contains(name) ? digits(row.numbers.at(name)) : "";
  }
};

// -- fractions --------------------------------------------------------------------------------------------------------

Int narrow(bool big, Int value) { return big ? throw Left("a number has more than 127 bits") : value; }
Int times(Int a, Int b) { Int made; bool big = __builtin_mul_overflow(a, b, &made); return narrow(big, made); }
Int plus(Int a, Int b) { Int made; bool big = __builtin_add_overflow(a, b, &made); return narrow(big, made); }

struct Fraction {
  Int over = 0, under = 1;
  Fraction(Int a, Int b) : over(a), under(b) {
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
  Fraction operator+(const Fraction& other) const {
    return {plus(times(over, other.under), times(other.over, under)), times(under, other.under)};
  }
  Fraction operator*(Int number) const { return {times(over, number), under}; }
};

// -- steps from open states -------------------------------------------------------------------------------------------

/// Which open cell or parameter to take apart; -1 for none.
struct Open {
  int which = -1;
  std::optional<Int> at{};  // the least value of the upper part, where a comparison says it
  bool alone = false;       // or a value that is compared: it, and all others
  Open(int number = -1) : which(number) {}
  operator int() const { return which; }
};
/// From `low` to `high`, and what to take apart to know more.
struct Range {
  Int low = 0, high = 0;
  Open open = -1;
  std::optional<Int> hole{};  // a value that it is not
  bool one() const { return low == high; }
  bool yes() const { return low > 0 || high < 0; }
  bool no() const { return low == 0 && high == 0; }
};
using Ranges = vector<Range>;

/// What holds in each state whose cells lie in some ranges, and behind each step without a fault from them. Ranges hold
/// all values that may come, and perhaps more; where they do not decide a question, an open cell or parameter is taken
/// apart into two halves, and both are asked. So `shown` is sure, and a question that stays open shows nothing.
class Steps {
 public:
  explicit Steps(Game& game) : game_(game) {
    for (auto& field : game_.fields)
      for (size_t n = 0; n < field.size; ++n) all_.push_back(made(field.low, field.high, Open(int(all_.size()))));
  }

  /// A condition that is one of those in an `and`, and the values of its counters.
  struct Piece { size_t term; vector<std::pair<size_t, Int>> counters; };
  vector<Piece> pieces(size_t term) {
    vector<Piece> found;
    split(term, {}, found);
    return found;
  }
  /// Whether a question has the answer yes from all states in ranges in which conditions hold.
  using Question = std::function<Range()>;
  void all_states(const vector<Piece>& conditions, Ranges cells, const Question& question) {
    params_.clear(), where_.clear();
    sides_.clear();
    ask(conditions, std::move(cells), {}, question);
  }
  /// The same of each step of an action, or (with no action) of an automatic phase; `ident` is one ground action.
  void all_steps(const vector<Piece>& conditions, const Action* action, Int phase, std::optional<size_t> ident, const Question& question) {
    params_.clear();
    Ranges cells = all_, values;
    where_ = "`" + (action ? action->name : game_.phases[size_t(phase)].name) + "`: ";
    cells[0] = {phase, phase, -1}, cells[1] = {0, 0, -1};
    for (size_t n = 0; action && n < action->params.size(); ++n) {
      auto& local = game_.locals.at(action->params[n].local);
      Int value = ident ? game_.values(*action, *ident)[n] : 0;
      params_.push_back(action->params[n].local);
      values.push_back(ident ? Range{value, value, -1} : made(local.low, local.high, Open(int(all_.size() + n))));
    }
    sides_.clear();
    ask(conditions, std::move(cells), std::move(values), [&] { return step(action, phase, question); });
  }
  const Ranges& all() const { return all_; }
  const Ranges& before() const { return before_; }
  const Ranges& after() const { return after_; }
  Range before_end() const { return before_[1]; }
  Range before(size_t term) { return value(term, before_); }
  Range behind(size_t term) { return value(term, after_); }
  /// Whether a condition that held before a step holds behind it.
  Range stays(const Piece& piece) {
    for (auto [local, value] : piece.counters) env_[local] = {value, value, -1};
    if (same(piece.term)) return truth(true);
    Range now = value(piece.term, after_);
    const Term term = game_.terms[piece.term];
    if (now.yes() || (term.op != "==" && term.op != "<=" && term.op != "<")) return decided(now);
    Range more = minus(change(term.args[0]), change(term.args[1]));
    if (term.op == "==" ? more.no() : more.high <= 0) return truth(true);
    if (now.no()) return now;
    return {0, 1, more.open >= 0 ? more.open : now.open};
  }
  /// By how much a step changes a term.
  Range change(size_t number) {
    const Term term = game_.terms.at(number);
    auto arg = [&](size_t n) { return change(term.args.at(n)); };
    if (same(number)) return {};
    if (term.op == "+") return plus_(arg(0), arg(1));
    if (term.op == "-") return minus(arg(0), arg(1));
    if (term.op == "sum") {
      Range total;
      each(term, [&] { total = plus_(total, arg(0)); return true; });
      return total;
    }
    if (term.op == "call" && std::all_of(term.args.begin(), term.args.end(), [&](size_t n) { return same(n); })) {
      Range found;
      called(term, before_, [&](size_t body) { found = change(body); });
      return found;
    }
    if (term.op == "pick" && same(term.args[0])) {
      Range condition = value(term.args[0], before_);
      return condition.yes() ? arg(1) : condition.no() ? arg(2) : hull(arg(1), arg(2), condition.open);
    }
    if (term.op == "read") {
      Range index = value(term.args[0], before_);
      if (same(term.args[0]) && index.one() && index.low >= 0 && index.low < Int(game_.fields[term.on].size))
        return changes_[game_.fields[term.on].offset + size_t(index.low)];
    }
    return minus(value(number, after_), value(number, before_));
  }
  static Range truth(bool value) { return {value, value, -1}; }
  static Range decided(const Range& range) { return range.yes() ? truth(true) : range.no() ? truth(false) : Range{0, 1, range.open}; }
  static Range turned(const Range& a) { return a.yes() ? truth(false) : a.no() ? truth(true) : Range{0, 1, a.open}; }
  static Range both(const Range& a, const Range& b) { return a.no() || b.no() ? truth(false) : a.yes() ? decided(b) : b.yes() ? decided(a) : Range{0, 1, a.open}; }
  static Range either(const Range& a, const Range& b) { return a.yes() || b.yes() ? truth(true) : a.no() ? decided(b) : b.no() ? decided(a) : Range{0, 1, a.open}; }
  static Range minus(const Range& a, const Range& b) { return made(plus(a.low, -b.high), plus(a.high, -b.low), a.one() ? b.open : a.open); }
  /// Whether somebody may act in the ranges, or the game is over.
  Range at_rest(const Ranges& cells) {
    Range acts = truth(!game_.phases[size_t(cells[0].low)].automatic);
    for (Int n = cells[0].low; n <= cells[0].high; ++n)
      if (!game_.phases[size_t(n)].automatic != acts.yes()) acts = {0, 1, cells[0].open};
    return either(acts, decided(cells[1]));
  }
  /// Whether an action is legal in the ranges of a state, in one of its phases and before the end of the game.
  Range legal(size_t ident) {
    auto& action = game_.action_of(ident);
    auto values = game_.values(action, ident);
    for (size_t n = 0; n < values.size(); ++n) env_[action.params[n].local] = {values[n], values[n], -1};
    return both(decided({before_[1].no(), !before_[1].yes(), before_[1].open}), both(in_phase(action), required(action)));
  }
  bool asks_bounds = false;  // a question is whether some value may leave its bounds

 private:
  static constexpr int64_t MOST_WORK = 100'000'000;  // values that are read for one certificate
  Game& game_;
  Ranges all_, env_, before_, after_, changes_;
  vector<bool> changed_;
  vector<size_t> params_;
  bool dead_ = false, barred_ = false, leaves_ = false, met_changed_ = false;
  Open leaves_open_, path_;
  int64_t work_ = 0;
  string where_;  // the step that is asked of, for people
  static constexpr size_t MOST_SIDES = 6;
  std::map<size_t, bool> sides_;  // which way is taken at branches, by their place among all that a step comes to
  size_t branches_ = 0;
  std::optional<size_t> unchosen_;  // the first branch of a step that is open, if it may be chosen

  static Range made(Int low, Int high, Open open) { return {low, high, low == high ? Open() : open}; }
  static Range hull(const Range& a, const Range& b, Open open) { return made(std::min(a.low, b.low), std::max(a.high, b.high), open); }
  static Range plus_(const Range& a, const Range& b) { return made(plus(a.low, b.low), plus(a.high, b.high), a.one() ? b.open : a.open); }

  void split(size_t number, vector<std::pair<size_t, Int>> counters, vector<Piece>& found) {
    const Term term = game_.terms.at(number);
    auto is = [&](size_t n, Int value) { return n < term.args.size() && game_.terms[term.args[n]].op == "value" && game_.terms[term.args[n]].value == value; };
    static const std::set<string> truths{"and", "or", "not", "==", "!=", "<", "<=", "any", "all"};
    auto is_truth = [&](size_t n) { return truths.contains(game_.terms[term.args[n]].op); };
    if (term.op == "and") split(term.args[0], counters, found), split(term.args[1], counters, found);
    else if (term.op == "or" && is(0, 0)) split(term.args[1], counters, found);
    else if (((term.op == "!=" && is(1, 0)) || (term.op == "==" && is(1, 1))) && is_truth(0)) split(term.args[0], counters, found);
    else if (term.op == "all")
      for (Int i = game_.locals[term.on].low; i <= game_.locals[term.on].high; ++i) {
        auto more = counters;
        more.emplace_back(term.on, i), split(term.args[0], more, found);
      }
    else if (term.op != "value" || term.value == 0) found.push_back({number, counters});
  }

  void ask(const vector<Piece>& conditions, Ranges cells, Ranges values, const Question& question) {
    env_.assign(game_.locals.size(), {});
    before_ = cells;
    Open hint;
    vector<Piece> open;
    unchosen_.reset();
    for (auto& piece : conditions) {
      for (auto [local, value] : piece.counters) env_[local] = {value, value, -1};
      Range held = value(piece.term, before_);
      if (held.no()) return;
      if (!held.yes()) open.push_back(piece), hint = hint < 0 ? held.open : hint;
    }
    env_.assign(game_.locals.size(), {});
    for (size_t n = 0; n < params_.size(); ++n) env_[params_[n]] = values[n];
    Range answer = question();
    if (answer.yes()) return;
    if (unchosen_) {  // take each side of a branch by itself, before cells are taken apart
      size_t which = *unchosen_;
      for (bool side : {true, false}) {
        sides_[which] = side;
        ask(open, cells, values, question);
      }
      sides_.erase(which);
      return;
    }
    Open which = answer.no() || answer.open < 0 ? hint : answer.open;
    if (which < 0) throw Left(where_ + "ranges do not show it");
    Range& range = size_t(which) < all_.size() ? cells[size_t(which)] : values[size_t(which) - all_.size()];
    if (range.one()) throw Left(where_ + "ranges do not show it");
    Range lower, upper;
    Int middle = range.low + (range.high - range.low) / 2;
    if (which.at && range.low < *which.at && *which.at <= range.high) middle = *which.at - 1;
    lower = made(range.low, middle, which.which), upper = made(middle + 1, range.high, which.which);
    if (which.at && which.alone && !range.hole && range.low < *which.at && *which.at < range.high) {
      lower = {*which.at, *which.at, -1}, upper = range;
      upper.hole = which.at;
    }
    range = lower;
    ask(open, cells, values, question);
    range = upper;
    ask(open, std::move(cells), std::move(values), question);
  }

  // -- values ---------------------------------------------------------------------------------------------------------

  void leaves(const Open& open) {
    if (!leaves_) leaves_open_ = open >= 0 ? open : path_;
    leaves_ = true;
  }
  template <typename Each> void each(const Term& term, const Each& one) {
    const Local local = game_.locals.at(term.on);
    Range saved = env_[term.on];
    for (Int i = local.low; i <= local.high; ++i) {
      env_[term.on] = {i, i, -1};
      if (!one()) break;
    }
    env_[term.on] = saved;
  }
  template <typename Inside> void called(const Term& term, const Ranges& cells, const Inside& inside) {
    const Rule& rule = game_.functions.at(term.on);
    Ranges given, saved;
    for (size_t n : term.args) given.push_back(value(n, cells));
    for (size_t n = 0; n < given.size(); ++n) saved.push_back(std::exchange(env_.at(rule.params.at(n)), given[n]));
    inside(rule.body);
    for (size_t n = 0; n < given.size(); ++n) env_[rule.params[n]] = saved[n];
  }
  /// Whether a term reads no cell that the step may change, so that it stays what it was.
  bool same(size_t term) {
    bool outer = std::exchange(met_changed_, false);
    value(term, before_);
    return !std::exchange(met_changed_, outer || met_changed_);
  }
  Range value(size_t number, const Ranges& cells) {
    if (++work_ > MOST_WORK) throw Left(where_ + "it takes too many parts to show it by ranges");
    const Term& term = game_.terms.at(number);
    auto arg = [&](size_t n) { return value(term.args.at(n), cells); };
    switch (term.code) {
      case Term::VALUE: return {term.value, term.value, -1};
      case Term::LOCAL: return env_.at(term.on);
      case Term::READ: {
        auto& field = game_.fields.at(term.on);
        Range index = arg(0), found;
        if (index.low < 0 || index.high >= Int(field.size)) leaves(index.open);
        Int from = std::max(index.low, Int(0)), to = std::min(index.high, Int(field.size) - 1);
        if (from > to) return {field.low, field.high, index.open};
        for (Int n = from; n <= to; ++n) {
          size_t cell = field.offset + size_t(n);
          if (changed_.size() && changed_[cell]) met_changed_ = true;
          found = n == from ? cells[cell] : hull(found, cells[cell], index.open);
        }
        return found;
      }
      case Term::LOOKUP: {
        auto& table = game_.tables.at(term.on).values;
        Range index = arg(0), found;
        if (index.low < 0 || index.high >= Int(table.size())) leaves(index.open);
        Int from = std::max(index.low, Int(0)), to = std::min(index.high, Int(table.size()) - 1);
        if (from > to) from = 0, to = Int(table.size()) - 1;
        for (Int n = from; n <= to; ++n) {
          Range one{table[size_t(n)], table[size_t(n)], -1};
          found = n == from ? one : hull(found, one, index.open);
        }
        return found;
      }
      case Term::CALL: {
        Range found;
        called(term, cells, [&](size_t body) { found = value(body, cells); });
        return found;
      }
      case Term::PICK: {
        Range condition = arg(0);
        return condition.yes() ? arg(1) : condition.no() ? arg(2) : hull(arg(1), arg(2), condition.open);
      }
      case Term::AND: { Range a = arg(0); return a.no() ? truth(false) : both(a, arg(1)); }
      case Term::OR: { Range a = arg(0); return a.yes() ? truth(true) : either(a, arg(1)); }
      case Term::NOT: return turned(arg(0));
      case Term::SUM: {
        Range total;
        each(term, [&] { total = plus_(total, arg(0)); return true; });
        return total;
      }
      case Term::ANY: {
        Range found = truth(false);
        each(term, [&] { found = either(found, arg(0)); return !found.yes(); });
        return found;
      }
      case Term::ALL: {
        Range found = truth(true);
        each(term, [&] { found = both(found, arg(0)); return !found.no(); });
        return found;
      }
      case Term::LEAST_OF: case Term::MOST_OF: {
        std::optional<Range> found;
        each(term, [&] { Range one = arg(0); found = found ? least_or_most(*found, one, term.code == Term::LEAST_OF) : one; return true; });
        return found.value();
      }
      default: break;
    }
    Range a = arg(0);
    if (term.code == Term::ABS) {
      if (a.low >= 0) return a;
      return made(a.high <= 0 ? -a.high : 0, std::max(-a.low, a.high), a.open);
    }
    Range b = arg(1);
    Open open = a.one() ? b.open : a.open;
    auto compared = [&](bool surely, bool possibly) { return surely ? truth(true) : possibly ? Range{0, 1, open} : truth(false); };
    if (!open.at && a.one() != b.one()) {
      Int plain = a.one() ? a.low : b.low;
      const Range& other = a.one() ? b : a;
      if (term.code == Term::SAME || term.code == Term::OTHER)
        open.at = plain + (plain == other.low), open.alone = other.low < plain && plain < other.high;
      if (term.code == Term::LESS) open.at = plain + a.one();
      if (term.code == Term::UP_TO) open.at = plain + b.one();
    }
    switch (term.code) {
      case Term::PLUS: return plus_(a, b);
      case Term::MINUS: return minus(a, b);
      case Term::TIMES: {
        Int ends[] = {times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)};
        return made(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), open);
      }
      case Term::OVER: case Term::REST: {
        if (b.low <= 0) throw Left("a divisor may not be above 0");
        auto down = [](Int x, Int y) { Int rest = ((x % y) + y) % y; return (x - rest) / y; };
        if (term.code == Term::OVER) {
          Int ends[] = {down(a.low, b.low), down(a.low, b.high), down(a.high, b.low), down(a.high, b.high)};
          return made(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), open);
        }
        if (b.one() && down(a.low, b.low) == down(a.high, b.low)) return made(a.low - down(a.low, b.low) * b.low, a.high - down(a.low, b.low) * b.low, open);
        return made(0, b.high - 1, open);
      }
      case Term::SAME: case Term::OTHER: {
        bool surely = a.one() && b.one() && a.low == b.low, never = a.high < b.low || b.high < a.low;
        never = never || (b.one() && a.hole == b.low) || (a.one() && b.hole == a.low);
        return term.code == Term::SAME ? compared(surely, !never) : compared(never, !surely);
      }
      case Term::LESS: return compared(a.high < b.low, a.low < b.high);
      case Term::UP_TO: return compared(a.high <= b.low, a.low <= b.high);
      case Term::LEAST: case Term::MOST: return least_or_most(a, b, term.code == Term::LEAST);
      default: throw Unreadable("unknown term `" + term.op + "`");
    }
  }
  static Range least_or_most(const Range& a, const Range& b, bool least) {
    Open open = a.one() ? b.open : a.open;
    return least ? made(std::min(a.low, b.low), std::min(a.high, b.high), open) : made(std::max(a.low, b.low), std::max(a.high, b.high), open);
  }

  // -- steps ----------------------------------------------------------------------------------------------------------

  Range in_phase(const Action& action) {
    bool some = false, all = true;
    for (Int n = before_[0].low; n <= before_[0].high; ++n) {
      bool good = action.phases.contains(n);
      some = some || good, all = all && good;
    }
    return all ? truth(true) : some ? Range{0, 1, before_[0].open} : truth(false);
  }
  /// Whether what an action requires holds, and (of chance) its weight is above 0.
  Range required(const Action& action) {
    Range met = truth(true);
    bool whole = true;
    require(action.does, met, whole);
    if (!action.weight || met.no()) return met;
    Range chance = truth(game_.phases[size_t(before_[0].low)].chance);
    for (Int n = before_[0].low; n <= before_[0].high; ++n)
      if (game_.phases[size_t(n)].chance != chance.yes()) chance = {0, 1, before_[0].open};
    if (chance.no()) return met;
    if (!whole || !chance.yes()) return {0, 1, chance.yes() ? met.open : chance.open};
    Range weight = value(*action.weight, before_);
    return both(met, weight.low > 0 ? truth(true) : weight.high <= 0 ? truth(false) : Range{0, 1, weight.open});
  }
  /// Ask what a block requires, up to its first effect. Returns whether that ends the asking. Where a branch is open,
  /// nothing behind it is asked: the action may be legal or not.
  bool require(size_t block, Range& met, bool& whole) {
    for (auto& s : game_.blocks.at(block)) {
      if (s.does == "require") met = both(met, value(s.value, before_));
      else if (s.does == "keep") keep(s, before_);
      else if (s.does == "if") {
        Range condition = value(s.value, before_);
        if (!condition.one() && !condition.yes()) {
          leaves(condition.open);
          met = both(met, {0, 1, condition.open}), whole = false;
          return true;
        }
        if (require(condition.yes() ? s.then : s.other, met, whole)) return true;
      } else if (s.does == "loop") {
        bool ended = false;
        each({"", s.on}, [&] { ended = require(s.then, met, whole); return !ended && !met.no(); });
        if (ended) return true;
      } else return true;
      if (met.no()) return true;
      if (!met.yes()) path_ = met.open;
    }
    return false;
  }
  Range step(const Action* action, Int phase, const Question& question) {
    leaves_ = dead_ = barred_ = false, path_ = -1, changed_.clear();
    Ranges params = env_;
    Range may = action ? required(*action) : truth(true);
    bool asking_leaves = leaves_;
    if (may.no() && !(asks_bounds && asking_leaves)) return truth(true);
    leaves_ = asks_bounds && asking_leaves, path_ = -1;
    after_ = before_, env_ = params, changes_.assign(all_.size(), {}), changed_.assign(all_.size(), false);
    branches_ = 0;
    if (!may.no()) run(action ? action->does : game_.phases[size_t(phase)].does);
    if (barred_) return truth(true);
    bool left = leaves_;
    Open left_open = leaves_open_;
    env_ = params;
    Range answer = asks_bounds ? (left ? Range{0, left_open >= 0, left_open} : truth(true)) : dead_ ? truth(true) : question();
    if (answer.yes() || answer.open >= 0) return answer;
    return may.open >= 0 ? Range{0, 1, may.open} : path_ >= 0 ? Range{0, 1, path_} : answer;
  }
  Range inside(const Range& range, Int low, Int high) {
    if (range.low >= low && range.high <= high) return range;
    leaves(range.open);
    if (range.high < low || range.low > high) return dead_ = true, Range{low, high, range.open};
    return made(std::max(range.low, low), std::min(range.high, high), range.open);
  }
  void keep(const Statement& s, const Ranges& cells) {
    auto& local = game_.locals.at(s.on);
    env_[s.on] = inside(value(s.value, cells), local.low, local.high);
  }
  /// What two ranges of one number have in common.
  static Range narrower(const Range& a, const Range& b) {
    Int low = std::max(a.low, b.low), high = std::min(a.high, b.high);
    return low <= high ? made(low, high, a.open >= 0 ? a.open : b.open) : b;
  }
  /// By how much a value is more than a cell was before the step.
  Range more(size_t number, size_t cell, const Range& whole) {
    const Term& term = game_.terms.at(number);
    if (term.op == "read") {
      Range index = value(term.args[0], after_);
      if (index.one() && index.low >= 0 && game_.fields[term.on].offset + size_t(index.low) == cell && index.low < Int(game_.fields[term.on].size)) return changes_[cell];
    }
    auto arg = [&](size_t n) { return value(term.args[n], after_); };
    auto grown = [&](size_t n) { return more(term.args[n], cell, arg(n)); };
    if (term.op == "+") return narrower(plus_(grown(0), arg(1)), plus_(arg(0), grown(1)));
    if (term.op == "-") return minus(grown(0), arg(1));
    if (term.op == "min" || term.op == "max") return hull(grown(0), grown(1), whole.open);
    return minus(whole, before_[cell]);
  }
  void run(size_t block) {
    for (auto& s : game_.blocks.at(block)) {
      if (dead_) return;
      if (s.does == "set") {
        auto& field = game_.fields.at(s.on);
        Range whole = value(s.value, after_), index = inside(value(s.index, after_), 0, Int(field.size) - 1);
        Range put = inside(whole, field.low, field.high);
        for (Int n = index.low; n <= index.high; ++n) {
          size_t cell = field.offset + size_t(n);
          Range grown = narrower(more(s.value, cell, whole), minus(put, before_[cell]));
          changed_[cell] = true;
          after_[cell] = index.one() ? put : hull(after_[cell], put, index.open);
          changes_[cell] = index.one() ? grown : hull(changes_[cell], grown, index.open);
        }
      } else if (s.does == "keep") keep(s, after_);
      else if (s.does == "if") branch(s);
      else if (s.does == "loop") each({"", s.on}, [&] { run(s.then); return !dead_; });
      else if (s.does == "do") {
        const Rule& rule = game_.procedures.at(s.on);
        Ranges inner(env_.size());
        for (size_t n = 0; n < s.args.size(); ++n) {
          auto& local = game_.locals.at(rule.params.at(n));
          inner[rule.params[n]] = inside(value(s.args[n], after_), local.low, local.high);
        }
        std::swap(env_, inner);
        run(rule.body);
        std::swap(env_, inner);
      } else if (s.does == "finish" && !after_[1].yes()) {
        Int ending = Int(s.on) + 1;
        after_[1] = after_[1].no() ? Range{ending, ending, -1} : hull({std::max(after_[1].low, Int(1)), after_[1].high, after_[1].open}, {ending, ending, -1}, after_[1].open);
        changed_[1] = true, changes_[1] = minus(after_[1], before_[1]);
      }
    }
  }
  void branch(const Statement& s) {
    Range condition = value(s.value, after_);
    auto side = sides_.find(branches_++);
    if (condition.yes() || condition.no()) {
      if (side != sides_.end() && side->second != condition.yes()) dead_ = barred_ = true;  // another part has it
      return run(condition.yes() ? s.then : s.other);
    }
    if (side != sides_.end()) {
      if (path_ < 0) path_ = condition.open;
      return run(side->second ? s.then : s.other);
    }
    if (!unchosen_ && sides_.size() < MOST_SIDES) unchosen_ = branches_ - 1;
    Open path = std::exchange(path_, path_ >= 0 ? path_ : condition.open);
    auto here = std::tuple(after_, changes_, changed_, env_);
    run(s.then);
    auto there = std::tuple(after_, changes_, changed_, env_);
    bool dead = std::exchange(dead_, false);
    std::tie(after_, changes_, changed_, env_) = here;
    run(s.other);
    path_ = path;
    if (dead) return;
    if (std::exchange(dead_, false)) {
      std::tie(after_, changes_, changed_, env_) = there;
      return;
    }
    auto& [after, changes, changed, env] = there;
    for (size_t n = 0; n < after.size(); ++n) {
      after_[n] = hull(after_[n], after[n], alike(after_[n], after[n]) ? after[n].open : condition.open);
      changes_[n] = hull(changes_[n], changes[n], alike(changes_[n], changes[n]) ? changes[n].open : condition.open);
      changed_[n] = changed_[n] || changed[n];
    }
    for (size_t n = 0; n < env.size(); ++n) env_[n] = hull(env_[n], env[n], alike(env_[n], env[n]) ? env[n].open : condition.open);
  }
  static bool alike(const Range& a, const Range& b) { return a.low == b.low && a.high == b.high; }
};

// -- the kinds of certificates (evidence.md) ----------------------------------------------------------------------------

class Checker {
 public:
  Checker(Game& game, const string& folder) : game_(game), play_(game), folder_(folder) {}

  void check(const Json& certificate) {
    const string& kind = certificate.at("kind").str();
    if (kind == "circle") certificate.only({"kind", "before", "idents", "words"}), circle(certificate);
    else if (kind == "worked example") certificate.only({"kind", "example", "played"}), example(certificate);
    else if (kind == "tally") certificate.only({"kind", "of", "cards", "value", "rows"}), tally(certificate);
    else if (kind == "count") certificate.only({"kind", "event", "states", "number"}), count(certificate, false);
    else if (kind == "distance") certificate.only({"kind", "event", "far", "states", "number"}), count(certificate, true);
    else if (kind == "chance") chance(certificate);
    else if (kind == "invariant") invariant(certificate);
    else if (kind == "transcript" || kind == "exploration") about(certificate, kind == "transcript");
    else throw Left("another kind");
  }

 private:
  Game& game_;
  Play play_;
  const string& folder_;

  void about(const Json& certificate, bool lines) {
    if (lines) certificate.only({"kind", "about", "idents", "words"});
    else certificate.only({"kind", "about", "states", "number", "most"});
    const Json& about = certificate.at("about");
    const string& subject = about.at("kind").str();
    if (subject == "event") about.only({"kind", "of", "within", "number", "relation", "value"});
    else if (subject == "property") about.only({"kind", "name"});
    else if (subject == "length") about.only({"kind", "most"});
    else if (subject == "law") about.only({"kind", "law"});
    else if (!lines && (subject == "secrecy" || subject == "apart")) throw Left("exploration of a secret");
    else throw Refused("no such certificate is about this");
    if (lines) transcript(certificate, about, subject);
    else exploration(certificate, about, subject);
  }
  static string property(const Json& about) {
    const string& name = about.at("name").str();
    if (name != "bounds" && name != "no dead end" && name != "automatic phases end") throw Refused("no such property");
    return name;
  }

  void transcript(const Json& certificate, const Json& about, const string& subject) {
    auto idents = line(certificate);
    if (!shows(about, subject, idents)) throw Refused("the line does not show it");
  }
  /// The actions of a line, whose words are those that stand beside them.
  vector<size_t> line(const Json& certificate) {
    vector<size_t> idents;
    for (auto& each : certificate.at("idents").all()) {
      if (each.whole() < 0 || each.whole() >= Int(game_.ground)) throw Refused("the game has no action " + digits(each.whole()));
      idents.push_back(each.index());
    }
    auto words = strings(certificate.at("words"));
    if (words.size() != idents.size()) throw Refused("the words are not those of the actions");
    for (size_t n = 0; n < idents.size(); ++n)
      if (game_.show(idents[n]) != words[n]) throw Refused("the words are not those of the actions");
    return idents;
  }
  /// The state behind the first `before` actions comes again behind all of them.
  void circle(const Json& certificate) {
    auto idents = line(certificate);
    Int before = certificate.at("before").whole();
    if (before < 0 || before >= Int(idents.size())) throw Refused("no action lies in the circle");
    State first = play_.replayed(play_.start(), idents, 0, size_t(before));
    if (play_.replayed(first, idents, size_t(before), idents.size()) != first) throw Refused("another state follows");
  }
  void example(const Json& certificate) {
    bool played = certificate.at("played").is(Json::truth, "true or false").value != 0;
    if (plays(certificate.at("example")) != played) throw Refused("the example is not played, or does not fail, as stated");
  }
  bool plays(const Json& example) {
    for (auto& [key, value] : example.is(Json::map, "an example").pairs)
      if (key != "line" && key != "end" && key != "then") throw Unreadable("unknown key `" + key + "` of an example");
    std::map<string, vector<size_t>> named;
    for (size_t ident = 0; ident < game_.ground; ++ident) {
      string words = game_.show(ident);
      named[words].push_back(ident), named[words + " [#" + std::to_string(ident) + "]"].push_back(ident);
    }
    State state = play_.start();
    for (auto& entry : example.at("line").all()) {
      string words = plain(entry);
      if (words.starts_with("now: ")) {
        if (!holds(words.substr(5), state)) return false;
        continue;
      }
      bool refused = words.starts_with("refused: ");
      if (refused) words = words.substr(9);
      vector<size_t> legal;
      for (size_t ident : named.contains(words) ? named.at(words) : vector<size_t>{})
        if (play_.legal(state, ident)) legal.push_back(ident);
      if (refused && (!legal.empty() || !named.contains(words))) return false;
      if (refused) continue;
      if (legal.size() > 1) throw Refused("`" + words + "` names several legal actions");
      if (legal.empty()) return false;
      State after;
      try {
        after = play_.settled(play_.effects(state, legal[0]));
      } catch (const Fault& fault) {
        if (fault.bounds || comes_again(play_.effects(state, legal[0]))) return false;
        throw;
      }
      state = after;
    }
    if (auto end = example.get("end"); end && (!end->words.empty() || end->value || !end->items.empty() || !end->pairs.empty())) {
      string result = play_.over(state) ? game_.endings.at(size_t(state[1]) - 1).reason + " |" : "";
      for (Int seat = 0; seat < game_.players && play_.over(state); ++seat) result += " " + digits(returned(state, seat));
      if (end->kind != Json::text || end->words != result) return false;
    }
    for (auto& text : example.get("then") ? example.at("then").all() : vector<Json>{})
      if (!holds(plain(text), state)) return false;
    return true;
  }
  bool holds(const string& text, const State& state) {
    size_t term = Condition(game_, text).read();
    return play_.value(term, state) != 0;
  }
  /// What a seat gets at the end of a game.
  Int returned(const State& state, Int seat) {
    if (game_.payoffs) return play_.value(game_.payoffs->at(size_t(seat)), state);
    auto& ending = game_.endings.at(size_t(state[1]) - 1);
    if (ending.kind != "win") return ending.kind == "loss" ? -1 : 0;
    if (ending.shared || !ending.winner) return 1;
    Int winner = play_.value(*ending.winner, state);
    for (auto& team : game_.teams)
      if (std::find(team.begin(), team.end(), seat) != team.end()) return std::find(team.begin(), team.end(), winner) != team.end() ? 1 : -1;
    return winner == seat ? 1 : -1;
  }
  void tally(const Json& certificate);

  // -- what every step keeps --------------------------------------------------------------------------------------------

  using Pieces = vector<Steps::Piece>;
  /// Conditions that hold at the start and that every small step keeps, and what follows from them.
  void invariant(const Json& certificate) {
    certificate.only({"kind", "about", "layers", "integers", "splits", "numbers"});
    Steps steps(game_);
    vector<Pieces> layers;
    Pieces all;
    for (auto& layer : certificate.at("layers").all()) {
      layer.only({"conjuncts", "integers", "splits", "on"});
      Pieces mine, given;
      for (auto& text : strings(layer.at("conjuncts"))) {
        size_t term = Condition(game_, text).read();
        if (!play_.value(term, play_.initial())) throw Refused("`" + text + "` does not hold at the start");
        auto more = steps.pieces(term);
        mine.insert(mine.end(), more.begin(), more.end());
      }
      for (size_t n : indices(layer.at("on"))) {
        if (n >= layers.size()) throw Refused("a layer builds on one that does not come before it");
        given.insert(given.end(), layers[n].begin(), layers[n].end());
      }
      given.insert(given.end(), mine.begin(), mine.end());
      each_step([&](const Action* action, Int phase) {
        Pieces open;  // those that a first look leaves open
        steps.all_steps(given, action, phase, {}, [&] {
          for (auto& piece : mine)
            if (!steps.stays(piece).yes()) open.push_back(piece);
          return Steps::truth(true);
        });
        for (auto& piece : open) steps.all_steps(given, action, phase, {}, [&] { return steps.stays(piece); });
      });
      layers.push_back(mine);
      all.insert(all.end(), mine.begin(), mine.end());
    }
    follows(certificate, certificate.at("about"), steps, all);
  }
  /// Each kind of small step: an action in one of its phases, or an automatic phase.
  template <typename One> void each_step(const One& one) {
    for (auto& action : game_.actions)
      for (Int phase : action.phases) one(&action, phase);
    for (size_t n = 0; n < game_.phases.size(); ++n)
      if (game_.phases[n].automatic) one(nullptr, Int(n));
  }
  void follows(const Json& certificate, const Json& about, Steps& steps, const Pieces& all) {
    const string& subject = about.at("kind").str();
    vector<size_t> numbers;
    for (auto& text : strings(certificate.at("numbers"))) numbers.push_back(Condition(game_, text).read());
    if (subject == "event") {
      about.only({"kind", "of", "within", "number", "relation", "value"});
      Target target = Targets(game_).event(about);
      auto never = [&](std::optional<size_t> ident) {
        steps.all_states(all, steps.all(), [&] {
          Range met = Steps::both(steps.at_rest(steps.before()), Steps::decided(steps.before(target.condition)));
          return Steps::turned(ident ? Steps::both(met, steps.legal(*ident)) : met);
        });
      };
      if (!target.idents) never({});
      else for (size_t ident : *target.idents) never(ident);
    } else if (subject == "property") {
      about.only({"kind", "name"});
      const string name = property(about);
      if (name == "bounds") {
        steps.asks_bounds = true;
        each_step([&](const Action* action, Int phase) { steps.all_steps(all, action, phase, {}, [] { return Steps::truth(true); }); });
      } else if (name == "no dead end") {
        for (size_t n = 0; n < game_.phases.size(); ++n) {
          if (game_.phases[n].automatic) continue;
          Ranges cells = steps.all();
          cells[0] = {Int(n), Int(n), -1}, cells[1] = {};
          steps.all_states(all, cells, [&] { return some_legal(steps, every_ident()); });
        }
      } else {
        for (size_t n = 0; n < game_.phases.size(); ++n)
          if (game_.phases[n].automatic)
            steps.all_steps(all, nullptr, Int(n), {}, [&] { return Steps::either(steps.at_rest(steps.after()), fall(steps, numbers)); });
      }
    } else if (subject == "length") {
      about.only({"kind", "most"});
      if (numbers.size() != 1) throw Refused("expected one number that every step lowers");
      Int least = 0;
      steps.all_states({}, steps.all(), [&] { return least = steps.before(numbers[0]).low, Steps::truth(true); });
      if (play_.value(numbers[0], play_.initial()) - least > about.at("most").whole()) throw Left("the number may fall more often");
      each_step([&](const Action* action, Int phase) { steps.all_steps(all, action, phase, {}, [&] { return fall(steps, numbers); }); });
    } else if (subject == "law") {
      about.only({"kind", "law"});
      auto& law = about.at("law");
      if (law.kind == Json::list && law.items.empty()) throw Refused("a list of no laws says nothing");
      for (auto& each : law.kind == Json::list ? law.items : vector<Json>{law}) obeyed(Laws(play_, each).law, steps, all);
    } else if (subject == "secrecy") throw Left("secrets");
    else throw Refused("no invariant is about this");
  }
  /// Whether a step lowers the first of some numbers that it changes.
  static Range fall(Steps& steps, const vector<size_t>& numbers) {
    Range found = Steps::truth(false);
    for (size_t n = numbers.size(); n-- > 0;) {
      Range more = steps.change(numbers[n]);
      Range lower = more.high < 0 ? Steps::truth(true) : more.low >= 0 ? Steps::truth(false) : Range{0, 1, more.open};
      found = Steps::either(lower, Steps::both(Steps::turned(more), found));
    }
    return found;
  }
  vector<size_t> every_ident() const {
    vector<size_t> made(game_.ground);
    std::iota(made.begin(), made.end(), 0);
    return made;
  }
  template <typename Idents_> static Range some_legal(Steps& steps, const Idents_& idents) {
    Range found = Steps::truth(false);
    for (size_t ident : idents)
      if (found = Steps::either(found, steps.legal(ident)); found.yes()) break;
    return found;
  }
  void obeyed(const Law& law, Steps& steps, const Pieces& all) {
    auto good = [&] {
      Range kept = Steps::both(Steps::decided(steps.before(law.needs)), Steps::decided(steps.behind(law.leads)));
      for (auto& [number, by] : law.changes)
        kept = Steps::both(kept, Steps::turned(Steps::minus(steps.change(number), steps.before(by))));
      return Steps::either(Steps::turned(steps.before(law.when)), kept);
    };
    if (law.can)
      steps.all_states(all, steps.all(), [&] {
        Range acts = Steps::both(steps.at_rest(steps.before()), Steps::turned(steps.before_end()));
        acts = Steps::both(acts, Steps::decided(steps.before(law.when)));
        return acts.no() ? Steps::truth(true) : Steps::either(Steps::turned(acts), some_legal(steps, *law.can));
      });
    each_step([&](const Action* action, Int phase) {
      if (!action) {
        if (law.phase && *law.phase == phase) steps.all_steps(all, nullptr, phase, {}, good);
        return;
      }
      vector<size_t> mine;
      for (size_t ident = action->first; ident < action->first + action->count; ++ident)
        if (law.idents.contains(ident)) mine.push_back(ident);
      if (mine.size() == action->count) steps.all_steps(all, action, phase, {}, good);
      else for (size_t ident : mine) steps.all_steps(all, action, phase, ident, good);
    });
  }

  bool shows(const Json& about, const string& subject, const vector<size_t>& idents) {
    size_t all = idents.size(), but_last = all ? all - 1 : 0;
    if (subject == "event") {
      Target target = Targets(game_).event(about);
      State before = play_.replayed(play_.start(), idents, 0, target.idents ? but_last : all);
      if (!target.idents) return play_.value(target.condition, before) != 0;
      play_.replayed(before, idents, but_last, all);
      return all && target.idents->contains(idents.back()) && play_.value(target.condition, before);
    }
    if (subject == "length") {
      play_.replayed(play_.start(), idents, 0, all);
      return Int(all) > about.at("most").whole();
    }
    if (subject == "property") return breaks(property(about), idents, but_last);
    Laws laws(play_, about.at("law"));
    State before = play_.replayed(play_.start(), idents, 0, but_last);
    State after = play_.replayed(before, idents, but_last, all);
    return (all && laws.breaks(before, idents.back())) || laws.barred(after) || (!all && laws.at_the_start());
  }
  bool breaks(const string& name, const vector<size_t>& idents, size_t but_last) {
    State before = idents.empty() ? play_.initial() : play_.replayed(play_.start(), idents, 0, but_last);
    try {
      State state = idents.empty() ? play_.start() : play_.replayed(before, idents, but_last, idents.size());
      bool stuck = !play_.over(state) && play_.all_legal(state).empty();
      return name == "no dead end" && stuck;
    } catch (const Fault& fault) {
      if (fault.bounds) return name == "bounds";
      if (name != "automatic phases end") throw;
    }
    return comes_again(idents.empty() ? before : play_.effects(before, idents.back()));
  }
  /// Whether automatic phases come back to a state: each follows from the state alone.
  bool comes_again(State state) {
    std::set<State> seen;
    for (int n = 0; n <= MOST_PHASES && !play_.over(state) && play_.phase(state).automatic; ++n) {
      if (!seen.insert(state).second) return true;
      state = play_.after_phase(state);
    }
    return false;
  }

  struct Hash {
    size_t operator()(const State& state) const {
      uint64_t made = 1469598103934665603U;
      for (int64_t cell : state) made = (made ^ uint64_t(cell)) * 1099511628211U;
      return made;
    }
  };

  void exploration(const Json& certificate, const Json& about, const string& subject) {
    Int wanted = certificate.at("states").whole();
    const string& number = certificate.at("number").str();
    if ((!number.empty() && subject != "event") || (certificate.at("most").whole() != 0 && number.empty()))
      throw Refused("only what is said of an event may be limited by a number");
    if (!number.empty()) throw Left("exploration with a limit, which needs a solver");
    std::optional<Target> target;
    std::optional<Laws> laws;
    if (subject == "event") target = Targets(game_).event(about);
    if (subject == "law") laws.emplace(play_, about.at("law"));
    string name = subject == "property" ? property(about) : "";

    Closed all = closed(wanted);
    for (size_t n = 0; n < all.states.size(); ++n) {
      const State& state = *all.states[n];
      if (name == "no dead end" && all.moves[n].empty() && !play_.over(state)) throw Refused("there is a dead end");
      bool taken = target && !target->idents;
      for (auto [ident, to] : all.moves[n]) {
        taken = taken || (target && target->idents->contains(ident));
        if (laws && laws->breaks(state, ident)) throw Refused("a decision breaks the law");
      }
      if (taken && play_.value(target->condition, state)) throw Refused("it is met in a state");
      if (laws && laws->barred(state)) throw Refused("a decision breaks the law");
    }
    if (laws && laws->at_the_start()) throw Refused("the start breaks the law");
    if (subject == "length" && Int(longest(all.moves)) > about.at("most").whole()) throw Refused("a game is longer");
  }

  struct Move { size_t ident, to; };
  /// All states that games come to, the decisions in each, and how many decisions each is away from the start.
  struct Closed {
    std::unordered_map<State, size_t, Hash> rows;
    vector<const State*> states;
    vector<vector<Move>> moves;
    vector<size_t> away;
  };
  /// The closed set of so many states. It holds the start, and with each state every state that one decision leads to.
  Closed closed(Int wanted) {
    if (wanted < 1 || wanted > Int(MOST_STATES)) throw Refused("so many states are not gone through");
    Closed all;
    auto add = [&](const State& state, size_t away) {
      auto [row, fresh] = all.rows.emplace(state, all.rows.size());
      if (fresh) all.states.push_back(&row->first), all.away.push_back(away);
      if (Int(all.rows.size()) > wanted) throw Refused("there are more states than the evidence speaks of");
      return row->second;
    };
    add(play_.start(), 0);
    for (size_t n = 0; n < all.states.size(); ++n) {
      vector<Move> moves;
      for (size_t ident : play_.all_legal(*all.states[n]))
        moves.push_back({ident, add(play_.settled(play_.effects(*all.states[n], ident)), all.away[n] + 1)});
      all.moves.push_back(moves);
    }
    if (Int(all.states.size()) != wanted) throw Refused("there are " + std::to_string(all.states.size()) + " states");
    return all;
  }
  size_t condition(const Json& event) {
    event.only({"kind", "of", "within", "number", "relation", "value"});
    if (event.at("kind").str() != "event") throw Unreadable("expected an event");
    Target target = Targets(game_).event(event);
    if (target.idents) throw Refused("this is about states, and not about actions");
    return target.condition;
  }
  /// How many states meet the event; or how far the nearest of them, or the farthest one, is away.
  void count(const Json& certificate, bool distance) {
    size_t met = condition(certificate.at("event"));
    Closed all = closed(certificate.at("states").whole());
    vector<Int> away;
    for (size_t n = 0; n < all.states.size(); ++n)
      if (play_.value(met, *all.states[n])) away.push_back(Int(all.away[n]));
    Int found = Int(away.size());
    if (distance && away.empty()) throw Refused("no state meets it");
    if (distance) {
      bool far = certificate.at("far").is(Json::truth, "true or false").value != 0;
      found = far ? *std::max_element(away.begin(), away.end()) : *std::min_element(away.begin(), away.end());
    }
    if (found != certificate.at("number").whole()) throw Refused("the number is " + digits(found));
  }

  /// Two vectors of bounds over the closed set, in the order of the states' cells. One step of best play does not lead
  /// above the upper ones, nor below the lower ones. So the upper ones are bounds: the chance is the least vector that
  /// a step keeps. The lower ones are bounds if play that keeps to them cannot go on for ever, which ranks show: from
  /// each state with a lower bound above 0 it may come to a lower rank, or out of these states, whatever others do.
  void chance(const Json& certificate) {
    bool team = certificate.get("partners");
    if (team) certificate.only({"kind", "event", "chance", "seat", "values", "upper", "lower", "ranks", "start", "partners"});
    else certificate.only({"kind", "event", "chance", "seat", "values", "upper", "lower", "ranks", "start"});
    size_t met = condition(certificate.at("event"));
    const string& luck = certificate.at("chance").str();
    Int seat = certificate.at("seat").whole();
    if (seat < 0 || seat >= game_.players || (luck != "mean" && luck != "best" && luck != "worst")) throw Refused("no such luck");
    auto seats = game_.team_of(seat);
    std::sort(seats.begin(), seats.end());
    vector<Int> partners = seats;
    std::erase(partners, seat);
    if (team == partners.empty() || (team && wholes(certificate.at("partners")) != partners)) throw Refused("others play together");
    vector<Fraction> values;
    for (auto& text : strings(certificate.at("values"))) values.emplace_back(text);
    for (auto& value : values)
      if (value < Fraction(0, 1) || Fraction(1, 1) < value) throw Refused("a chance is not from 0 to 1");
    auto upper = wholes(certificate.at("upper")), lower = wholes(certificate.at("lower")), ranks = wholes(certificate.at("ranks"));
    Closed all = closed(Int(upper.size()));
    size_t size = all.states.size();
    vector<size_t> order(size), place(size);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return *all.states[a] < *all.states[b]; });
    for (size_t n = 0; n < size; ++n) place[order[n]] = n;
    if (lower.size() != size || ranks.size() != size || certificate.at("start").whole() != Int(place[0])) throw Refused("other states");
    for (Int index : {*std::min_element(upper.begin(), upper.end()), *std::max_element(upper.begin(), upper.end()),
                      *std::min_element(lower.begin(), lower.end()), *std::max_element(lower.begin(), lower.end())})
      if (index < 0 || index >= Int(values.size())) throw Refused("no such bound");
    auto high = [&](size_t n) -> const Fraction& { return values[size_t(upper[place[n]])]; };
    auto low = [&](size_t n) -> const Fraction& { return values[size_t(lower[place[n]])]; };
    const Fraction never(0, 1), sure(1, 1);
    for (size_t n = 0; n < size; ++n) {
      const State& state = *all.states[n];
      Fraction above = never, below = never;
      if (play_.value(met, state)) above = below = sure;
      else if (!all.moves[n].empty()) {
        auto& phase = play_.phase(state);
        Int actor = phase.chance ? -1 : play_.value(phase.actor, state);
        bool mean = phase.chance && luck == "mean";
        bool most = phase.chance ? luck == "best" : std::find(seats.begin(), seats.end(), actor) != seats.end();
        above = step(state, all.moves[n], mean, most, high), below = step(state, all.moves[n], mean, most, low);
        if (never < low(n) && !falls(all.moves[n], mean, most, [&](size_t to) { return !(never < low(to)) || ranks[place[to]] < ranks[place[n]]; },
                                     [&](size_t to) { return !(low(to) < low(n)); }))
          throw Refused("the bound from below is not reached");
      }
      if (high(n) < above) throw Refused("best play may do better than the bound from above");
      if (below < low(n)) throw Refused("the bound from below is not reached");
    }
  }
  template <typename Bound>
  Fraction step(const State& state, const vector<Move>& moves, bool mean, bool most, const Bound& bound) {
    Fraction made = bound(moves[0].to);
    if (!mean) {
      for (auto& move : moves)
        if (most ? made < bound(move.to) : bound(move.to) < made) made = bound(move.to);
      return made;
    }
    Int total = 0;
    made = Fraction(0, 1);
    for (auto& move : moves) {
      auto& action = game_.action_of(move.ident);
      Env env = play_.bound(action, move.ident);
      Int weight = action.weight ? play_.weight(action, state, env) : 1;
      total = plus(total, weight), made = made + bound(move.to) * weight;
    }
    return {made.over, times(made.under, total)};
  }
  template <typename Down, typename Keeps>
  static bool falls(const vector<Move>& moves, bool mean, bool most, const Down& down, const Keeps& keeps) {
    bool some = false, all = true;
    for (auto& move : moves) {
      bool good = down(move.to) && (mean || keeps(move.to));
      some = some || good, all = all && good;
    }
    return mean || most ? some : all;
  }
  /// The number of moves on the longest path from state 0. Refuses a circle.
  static size_t longest(const vector<vector<Move>>& moves) {
    vector<size_t> waiting(moves.size(), 0), depth(moves.size(), 0), ready;
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
};

// -- files ----------------------------------------------------------------------------------------------------------

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

Game described(const string& folder, const string& digest) {
  Json file = named_by_digest(folder, digest, "the description has");
  if (file.at("playproof-game").whole() != 1) throw Unreadable("expected version 1 of descriptions");
  return Game(file);
}

bool same(const Json& a, const Json& b) {
  if (a.kind != b.kind || a.value != b.value || a.words != b.words || a.items.size() != b.items.size() || a.pairs.size() != b.pairs.size()) return false;
  for (size_t n = 0; n < a.items.size(); ++n)
    if (!same(a.items[n], b.items[n])) return false;
  return std::all_of(a.pairs.begin(), a.pairs.end(), [&](auto& pair) { return b.get(pair.first) && same(pair.second, *b.get(pair.first)); });
}

/// What the cards give, by which rows, in any order: the file of cards does not hold the order of a card's fields.
void Checker::tally(const Json& certificate) {
  const string& digest = certificate.at("cards").str();
  if (digest.size() == 64 && !std::ifstream(folder_ + "/" + digest + ".json")) throw Left("the folder does not hold the cards");
  static std::map<string, Json> files;
  if (!files.contains(digest)) files[digest] = named_by_digest(folder_, digest, "the file of cards has");
  const Json& cards = files[digest];
  auto [value, rows] = Ledger(cards, certificate.at("of")).count();
  auto said = strings(certificate.at("rows"));
  if (!same(value, certificate.at("value"))) throw Refused("the cards give another value");
  std::sort(rows.begin(), rows.end()), std::sort(said.begin(), said.end());
  if (rows != said) throw Refused("the evidence lists other rows than the cards have");
}

/// Check a file's certificates. Returns 0 if all are shown, 1 if some are refused, else 3.
int checked(const string& folder, const string& path) {
  string text = content(path);
  if (text.size() > 8'000'000) throw Unreadable("expected at most 8 MB");
  Json file = JsonReader(text, 40).whole();
  file.only({"playproof", "game", "errata", "claim", "settings"});
  if (Int version = file.at("playproof").whole(); version != 4 && version != 5) throw Unreadable("expected evidence of version 4 or 5");
  size_t number = 0, refused = 0;
  std::map<string, size_t> left;
  for (auto& setting : file.at("settings").all()) {
    if (auto means = setting.get("means")) strings(*means), setting.only({"options", "rulings", "digest", "certificates", "means"});
    else setting.only({"options", "rulings", "digest", "certificates"});
    for (auto key : {"options", "rulings"})
      for (auto& [name, value] : setting.at(key).is(Json::map, "a mapping").pairs) value.str();
    Game game = described(folder, setting.at("digest").str());
    for (auto& certificate : setting.at("certificates").all()) {
      if (++number > 5'000) throw Unreadable("expected at most 5,000 certificates");
      string answer = "shown", why;
      const string& kind = certificate.at("kind").str();
      try {
        game.forget();  // a claim's conditions add terms to it
        Checker(game, folder).check(certificate);
      } catch (const Refused& error) {
        answer = "refused", why = error.what(), ++refused;
      } catch (const Left& error) {
        answer = "left", why = error.what(), ++left[kind];
      }
      std::cout << answer << '\t' << path << '\t' << number << '\t' << kind << '\t' << why << '\n';
    }
  }
  string kinds = number ? "" : "no certificate";
  for (auto& [kind, many] : left) kinds += (kinds.empty() ? "" : ", ") + std::to_string(many) + " " + kind;
  std::cout << (refused ? "REFUSED" : kinds.empty() ? "CONFIRMED" : "LEFT") << '\t' << path << '\t' << number << "\t\t" << kinds << '\n';
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
