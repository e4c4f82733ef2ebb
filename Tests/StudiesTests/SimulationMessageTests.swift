import MediaUnits
import Models
import SimulationKernel
import Studies
import Testing

struct `What a limit says` {
  @Test func `the message has the world's own name of the event, and where and when`() throws {
    let error = try #require(throws: SimulationError.self) {
      _ = try CallsWorld.measured(
        CallsConfiguration(), CallsAudience(), RandomStreams(seed: 1, replication: 0),
        shuffleTies: nil, eventLimit: 0)
    }
    #expect(
      error.message == "internal error: expected at most 0 events in a replication, got more; the "
        + "last was \"begin\" for 0 from 0 at 0.0 s")
  }
}
