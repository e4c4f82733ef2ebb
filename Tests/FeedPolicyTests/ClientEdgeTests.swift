import FeedPolicy
import MediaUnits
import Testing

struct `Client policies at their limits` {
  /// Covers: SIG-038, REEL-021.
  @Test(arguments: [0, 2, 3, .max] as [UInt32])
  func `a timer, a success and a failure of another attempt change nothing`(other: UInt32) {
    var machine = RetryMachine(RetryPolicy())
    _ = commands(of: .started, from: &machine)
    #expect(commands(of: .failed(attempt: other), from: &machine) == [])
    #expect(commands(of: .succeeded(attempt: other), from: &machine) == [])
    #expect(machine.failures == 0 && !machine.isDone)
    _ = commands(of: .failed(attempt: 1), from: &machine)
    #expect(commands(of: .timerFired(attempt: other), from: &machine) == [])
    #expect(machine.retries == 0 && machine.ignored == 3)
    #expect(commands(of: .timerFired(attempt: 1), from: &machine) == [.load(attempt: 2)])
  }

  ///
  @Test func `only a loop has more than one pass`() {
    let (ten, five, thirty) = (TimeSpan.seconds(10), TimeSpan.seconds(5), TimeSpan.seconds(30))
    #expect(PlaybackEnd.loop.completion(of: ten, played: thirty).passes == 3)
    #expect(PlaybackEnd.once.completion(of: ten, played: thirty).passes == 1)
    #expect(PlaybackEnd.preview(five).completion(of: ten, played: thirty).passes == 1)
    #expect(PlaybackEnd.once.completion(of: ten, played: five).passes == 0)
  }
}
