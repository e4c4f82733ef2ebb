import Scenario
import Studies

/// The answer of `firstframe replay cache` as JSON (contract.md section 5). With a sample there is
/// a member `sample` beside the others, with curves `mrc`.
public enum ReplayDocument {
  /// The document of a replay.
  public static func json(_ result: ReplayResult) -> JSONText {
    var members: [JSONText.Member] = [
      .init("schema", 1), .init("requests", .integer(result.summary.requests)),
      .init("bytes", .integer(result.summary.bytes)),
      .init("results", .array(result.rows.map { row($0) })),
    ]
    if let sample = result.sample { members.append(.init("sample", self.sample(sample))) }
    if !result.curves.isEmpty { members.append(.init("mrc", curves(result))) }
    return .object(members)
  }

  private static func row(_ row: ReplayResult.Row) -> JSONText {
    [
      "policy": .string(row.policy), "capacity": .integer(row.capacity),
      "tier": .string(row.tier), "requests": .integer(row.counts.requests),
      "misses": .integer(row.counts.misses), "bytes": .integer(row.counts.bytes),
      "missedBytes": .integer(row.counts.missedBytes),
      "missesSecondHalf": .integer(row.counts.missesSecondHalf),
      "objectsAtEnd": .integer(row.counts.objectsAtEnd),
    ]
  }

  private static func sample(_ sample: ReplayResult.Sample) -> JSONText {
    [
      "rate": .number(sample.rate), "requests": .integer(Int64(sample.requests)),
      "objectShare": .number(sample.objectShare), "byteShare": .number(sample.byteShare),
      "lruError": sample.lruError.map { .number($0) } ?? .null,
      "lruByteError": sample.lruByteError.map { .number($0) } ?? .null,
    ]
  }

  private static func curves(_ result: ReplayResult) -> JSONText {
    let curves = result.curves.map { curve -> JSONText in
      [
        "policy": .string(curve.policy), "method": .string(curve.method.rawValue),
        "points": .array(
          curve.points.map { point in
            [
              "capacity": .integer(point.capacity), "missRatio": .number(point.missRatio),
              "byteMissRatio": .number(point.byteMissRatio),
            ]
          }),
      ]
    }
    return [
      "objects": .integer(result.summary.objects),
      "workingSet": .integer(result.summary.workingSet),
      "compulsoryMissRatio": .number(result.summary.compulsoryMissRatio),
      "compulsoryByteMissRatio": .number(result.summary.compulsoryByteMissRatio),
      "sample": result.curveSample.map { sample($0) } ?? .null, "curves": .array(curves),
    ]
  }
}
