/// A name of one place, a folder or a file, that another place uses.
struct Reference {
  let from: String
  let to: String
  let name: String
  /// The file that uses it.
  let path: String
  /// From 1.
  let line: Int
}

/// Which place uses which.
struct ReferenceGraph {
  /// References by user and used.
  private var weights: [String: [String: Int]] = [:]
  private var places: [String] = []

  init(_ references: [Reference]) {
    for reference in references {
      weights[reference.from, default: [:]][reference.to, default: 0] += 1
    }
    places = Set(references.flatMap { [$0.from, $0.to] }).sorted()
  }

  private func weight(_ from: String, _ to: String) -> Int { weights[from]?[to] ?? 0 }

  private func reach(_ start: String) -> Set<String> {
    var seen: Set<String> = []
    var open = [start]
    while let place = open.popLast() {
      for next in (weights[place] ?? [:]).keys where seen.insert(next).inserted {
        open.append(next)
      }
    }
    return seen
  }

  /// Places that reach each other, each circle sorted.
  var circles: [[String]] {
    let reached = Dictionary(uniqueKeysWithValues: places.map { ($0, reach($0)) })
    func reaches(_ a: String, _ b: String) -> Bool { reached[a]?.contains(b) == true }
    var found: [[String]] = []
    for place in places where reaches(place, place) {
      if found.contains(where: { $0.contains(place) }) { continue }
      found.append(places.filter { reaches(place, $0) && reaches($0, place) })
    }
    return found
  }

  /// The pairs of a circle's places without whose references alone no circle of it has more than
  /// `most` places: user and used, sorted.
  func cuts(of circle: [String], to most: Int) -> [(from: String, to: String)] {
    var inside = self
    inside.places = circle
    inside.weights = weights.filter { circle.contains($0.key) }
      .mapValues { $0.filter { circle.contains($0.key) } }
    var found: [(from: String, to: String)] = []
    for from in circle {
      for to in circle where weight(from, to) > 0 {
        var cut = inside
        cut.weights[from]?[to] = nil
        if cut.circles.allSatisfy({ $0.count <= most }) { found.append((from, to)) }
      }
    }
    return found
  }

  /// An order of a circle's places, highest first, in which few references lead up: no place of
  /// the order is better for one of them alone.
  func order(of circle: [String]) -> [String] {
    var order = circle
    var cost = cost(of: order)
    var isBetter = true
    while isBetter {
      isBetter = false
      for moved in circle {
        for index in order.indices {
          var other = order.filter { $0 != moved }
          other.insert(moved, at: index)
          let otherCost = self.cost(of: other)
          if otherCost < cost {
            (order, cost, isBetter) = (other, otherCost, true)
          }
        }
      }
    }
    return order
  }

  /// The pairs of a circle's places whose references lead up in their order: user and used, sorted.
  func leadingUp(in circle: [String]) -> [(from: String, to: String)] {
    let order = order(of: circle)
    var found: [(from: String, to: String)] = []
    for below in order.indices {
      for above in order[..<below] where weight(order[below], above) > 0 {
        found.append((order[below], above))
      }
    }
    return found.sorted { $0 < $1 }
  }

  private func cost(of order: [String]) -> Int {
    var sum = 0
    for below in order.indices {
      for above in order[..<below] { sum += weight(order[below], above) }
    }
    return sum
  }
}
