/// How a scenario's traffic is priced, as its `cost` says.
public struct CostPlan: Sendable, Equatable {
  public var prices: PriceList
  public var region: PriceList.Region
  public var viewsPerDay: Double
  /// The price file.
  public var file: ScenarioInput
  /// Eight hexadecimal digits over what it says.
  public var digest: String
  /// Bytes kept at the origin.
  public var storedBytes: Int64
  /// The same as numbers, for who has a configuration and no scenario.
  public var terms: CostTerms

  /// Reads a checked scenario's cost; nil when it has none, or with a problem.
  init?(_ tree: ResolvedTree, short: Bool, problems: inout Problems) {
    guard let part = tree.optional("cost") else { return nil }
    let path = FilePath.resolve(
      part.text("prices"), beside: part.origin(of: "prices").file)
    let list: PriceList
    do throws(ScenarioRejected) {
      list = try PriceList.load(path)
    } catch {
      if error.kind == .missingFile {
        problems.add(part.problem(at: "prices", expected: "a price file", code: .missingFile))
      } else {
        for problem in error.problems { problems.add(problem) }
      }
      return nil
    }
    guard let region = list.region(part.text("region")) else {
      let names = list.regions.map(\.name)
      problems.add(
        part.problem(
          at: "region", expected: "a region of the price file: \(names.joined(separator: ", "))",
          suggestion: Spelling.nearest(to: part.text("region"), in: names)))
      return nil
    }
    prices = list
    file = ScenarioInput(name: part.text("prices"), path: path)
    digest = Digest.digest8(file.text ?? "")
    self.region = region
    storedBytes = part.bytes("stored")
    let stated = part.optionalReal("viewsPerDay")
    terms = CostTerms(
      prices: list.prices(in: region), storedBytes: storedBytes, statedViewsPerDay: stated,
      share: short ? tree.real("short.share") : 1)
    viewsPerDay =
      stated ?? tree.real("audience.viewsPerDayPerEdge")
      * Double(tree.integer("cdn.edgesBehindShield")) + ScenarioBuilder.backgroundViews(tree)
  }
}
