import FeedPolicy
import MediaUnits
import Models
import Scenario
import Testing

/// Personas whose watch times were measured.
@Suite struct MeasuredPersonaTests {
  private func study(_ body: String) throws -> FeedStudy {
    try FeedStudy.parse("version: 1\nname: x\n" + body, file: "s.yaml")
  }

  private static let buckets = """
    audience:
      personas:
        - kind: measured
          watchTime: {kind: constant, value: 30 s}
          shorter:
            - {below: 10 s, completion: 0.5, watchTime: {kind: exponential, mean: 4 s}}
            - {below: 40 s, completion: 25 %, watchTime: {kind: exponential, mean: 8 s}}

    """

  @Test func `laws stand by length, the last of all that are longer`() throws {
    let made = try study(Self.buckets)
    let persona = made.configuration.audience.personas[0]
    #expect(persona.dwell.map(\.below) == [.seconds(10), .seconds(40), .max])
    #expect(persona.dwell.map(\.completion) == [0.5, 0.25, 0])
    #expect(persona.place(of: .seconds(10)) == 1 && persona.place(of: .seconds(90)) == 2)
    #expect(abs(persona.dwell[0].watchTime.quantile(0.5) - 2.772_588_722) < 0.01)
    let again = try FeedStudy.parse(made.resolvedText, file: "resolved.yaml")
    #expect(again.resolvedText == made.resolvedText)
  }

  @Test func `an app that foresees swipes knows the measured curves`() throws {
    let made = try study(Self.buckets + "policy: {prefetch: {kind: hazard}}\n")
    let curves = made.configuration.policy.prefetch.curves
    #expect(curves.curves.map(\.below) == [.seconds(10), .seconds(40), .max])
    // 0.5 + 0.5 e^(-4/4), of a table of quantiles.
    #expect(abs(curves.curves[0].survival[4] - 0.683_939_7) < 0.005)
    #expect(curves.curves[2].survival[29] == 1 && curves.curves[2].survival[31] < 1e-9)
    // Half of the viewers are another kind, with buckets of their own.
    let mixed = try study(
      """
      audience:
        personas:
          - {kind: typical}
          - {kind: measured, watchTime: {kind: constant, value: 30 s}}
      policy: {prefetch: {kind: hazard}}
      """)
    let half = mixed.configuration.policy.prefetch.curves
    let plain = SwipeCurves.lab
    #expect(half.curves.map(\.below) == plain.curves.map(\.below))
    for (mixture, alone) in zip(half.curves, plain.curves) {
      #expect(abs(mixture.survival[5] - (1 + alone.survival[5]) / 2) < 1e-9)
      #expect(abs(mixture.survival[40] - alone.survival[40] / 2) < 1e-9)
    }
  }

  @Test func `buckets ascend, and a measured persona has a law`() {
    func problems(_ personas: String) -> [String] {
      do {
        _ = try study("audience: {personas: [\(personas)]}\npolicy: {prefetch: {kind: hazard}}\n")
        return []
      } catch {
        return (error as? ScenarioRejected)?.problems.map(\.description) ?? ["\(error)"]
      }
    }
    let law = "watchTime: {kind: constant, value: 1 s}"
    let falling = problems(
      "{kind: measured, \(law), shorter: [{below: 20 s, \(law)}, {below: 20 s, \(law)}]}")
    #expect(falling.count == 1, "\(falling)")
    #expect(
      falling.allSatisfy {
        $0.contains("audience.personas[0].shorter[1].below: expected more than that of the bucket")
      }, "\(falling)")
    #expect(problems("{kind: measured}").contains { $0.contains("watchTime") })
  }
}
