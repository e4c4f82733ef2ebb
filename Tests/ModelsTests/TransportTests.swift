import MediaUnits
import Testing

@testable import Models

@Suite struct TransportTests {
  private func cost(_ packets: Double, firstLoss: Double, lossWindow: Double = 1e9)
    -> Transport.Cost
  {
    // 0.6 ms a packet, 60 ms round trip: 101 packets fill the pipe.
    Transport.cost(
      packets: packets, packetTime: 600_000, roundTrip: 60_000_000, window: 10,
      firstLoss: firstLoss, lossWindow: lossWindow)
  }

  @Test func `slow start waits in each round that does not fill the pipe`() {
    #expect(cost(10, firstLoss: .infinity).stall == 0)
    // Rounds of 10, 20 and 40 before the last packets.
    let expected = [10.0, 20, 40].reduce(0) { $0 + 60.6e6 - $1 * 0.6e6 }
    #expect(cost(100, firstLoss: .infinity).stall == expected)
    #expect(cost(100, firstLoss: .infinity).window == 80)
  }

  @Test func `a lost packet costs a round trip, the last one a probe timeout`() {
    let free = cost(10, firstLoss: .infinity).stall
    #expect(cost(10, firstLoss: 4).stall == free + 60e6)
    #expect(cost(10, firstLoss: 10).stall == free + 120e6)
    #expect(cost(10, firstLoss: 11).stall == free)
    #expect(cost(10, firstLoss: 4).window == 7)
  }

  @Test func `what follows a loss is bound by the window that the loss rate sustains`() {
    let loose = cost(500, firstLoss: 50).stall
    let bound = cost(500, firstLoss: 50, lossWindow: 10).stall
    #expect(bound > loose)
  }

  /// Mathis: at 1 % the Reno-friendly window is √150 packets.
  @Test func `the sustained window is the larger of CUBIC's and Reno's`() {
    let short = Transport.sustainedWindow(lossRate: 0.01, roundTrip: .milliseconds(10))
    #expect(abs(short - 150.0.squareRoot()) < 1e-9)
    let long = Transport.sustainedWindow(lossRate: 0.0001, roundTrip: .milliseconds(200))
    #expect(abs(long - 1.054 * PortableMath.power(2000, 0.75)) < 1e-6 * long)
    #expect(Transport.sustainedWindow(lossRate: 0, roundTrip: .milliseconds(10)) == 1e9)
  }
}
