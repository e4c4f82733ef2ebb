import AudienceModel
import MediaUnits
import SimulationKernel
import Testing

/// How long viewers of one kind stay with items.
@Suite struct PersonaTests {
  @Test func `an item's law is the first whose bound is above its length, or the last`() {
    let persona = Persona(
      dwell: [10, 30, 60].map { bound in
        DwellLaw(
          below: .seconds(bound), completion: 0.5, watchTime: QuantileTable(constant: 1))
      }, scrubProbability: 0)
    let lengths: [Int64] = [0, 9, 10, 29, 30, 59, 60, 600]
    #expect(lengths.map { persona.place(of: .seconds($0)) } == [0, 0, 1, 1, 2, 2, 2, 2])
  }
}
