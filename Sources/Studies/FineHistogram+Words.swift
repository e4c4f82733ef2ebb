import Models

extension FineHistogram: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: counts) { $1.add($0) }
    for number in [total, sum, largest] { writer.add(number) }
  }

  public init?(_ reader: inout WordReader) {
    guard let counts = reader.each({ $0.integer() }), let total = reader.integer(),
      let sum = reader.integer(), let largest = reader.integer()
    else { return nil }
    self.init(counts: counts, sum: sum, largest: largest)
    if self.total != total { return nil }
  }
}
