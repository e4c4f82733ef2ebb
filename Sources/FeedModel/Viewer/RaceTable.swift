/// Requests with a copy at a second provider: which places have them, until the request is over.
///
/// The machine that chooses providers knows both copies by one number, that of the first; so does
/// the table still when the second copy has gone on alone.
struct RaceTable {
  private struct Race {
    /// What the machine knows the request by.
    var number: UInt32
    /// The places of the copies; negative: none, or none any more.
    var first: Int32
    var second: Int32

    func has(_ place: Int) -> Bool { first == Int32(place) || second == Int32(place) }
  }

  private var races: [Race] = []

  var isEmpty: Bool { races.isEmpty }

  /// A request gets a second copy.
  mutating func begin(_ number: UInt32, _ first: Int, _ second: Int) {
    races.append(Race(number: number, first: Int32(first), second: Int32(second)))
  }

  /// The number of the request that has a place; nil where its own is meant.
  func number(of place: Int) -> UInt32? {
    for race in races where race.has(place) { return race.number }
    return nil
  }

  /// The place of the other copy; nil where there is none under way.
  func other(than place: Int) -> Int? {
    for race in races where race.has(place) {
      let other = race.first == Int32(place) ? race.second : race.first
      return other < 0 ? nil : Int(other)
    }
    return nil
  }

  /// Whether a place has the copy that was sent second.
  func isSecond(_ place: Int) -> Bool { races.contains { $0.second == Int32(place) } }

  /// The place of some second copy whose first one is under way as well; nil: there is none.
  var anySecond: Int? {
    for race in races where race.first >= 0 && race.second >= 0 { return Int(race.second) }
    return nil
  }

  /// A copy is over, and the other one goes on alone.
  mutating func drop(_ place: Int) {
    for index in races.indices where races[index].has(place) {
      if races[index].first == Int32(place) {
        races[index].first = -1
      } else {
        races[index].second = -1
      }
      return
    }
  }

  /// The request is over.
  mutating func end(_ place: Int) { races.removeAll { $0.has(place) } }
}
