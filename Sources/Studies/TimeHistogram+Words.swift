import Models

extension TimeHistogram: HeldInWords {
  public func write(to writer: inout WordWriter) {
    writer.add(each: counts) { $1.add($0) }
    writer.add(each: coarse) { $1.add($0) }
  }

  public init?(_ reader: inout WordReader) {
    guard let counts = reader.each({ $0.integer() }), let coarse = reader.each({ $0.integer() })
    else { return nil }
    self.init(counts: counts, coarse: coarse)
  }
}
