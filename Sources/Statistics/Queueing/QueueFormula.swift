/// Closed forms for stations of identical servers with Poisson arrivals.
///
/// Source: L. Kleinrock, "Queueing Systems", volume 1, 1975, chapter 3; A. Erlang 1917.
public enum QueueFormula {
  /// The share of arrivals that find all servers busy and are lost (M/G/c/c, Erlang's B).
  ///
  /// - Parameter offered: arrivals a second times the mean service, in Erlang.
  public static func blocking(servers: Int, offered: Double) -> Double {
    if offered <= 0 { return 0 }
    var inverse = 1.0
    for server in stride(from: 1, through: servers, by: 1) {
      inverse = 1 + inverse * Double(server) / offered
      if inverse > 1e300 { return 0 }
    }
    return 1 / inverse
  }

  /// The share of arrivals that wait (M/M/c, Erlang's C); 1 where the servers do not suffice.
  public static func waiting(servers: Int, offered: Double) -> Double {
    if offered <= 0 { return 0 }
    if offered >= Double(servers) { return 1 }
    let blocked = blocking(servers: servers, offered: offered)
    let load = offered / Double(servers)
    return blocked / (1 - load * (1 - blocked))
  }

  /// P(wait > `time`) in M/G/c by the approximation of A. Allen and J. Cunneen: Erlang's C with an
  /// exponential tail whose mean is that of M/M/c times (1 + scv)/2, scv being the service's
  /// squared coefficient of variation. Exact for M/M/c.
  public static func waitTail(
    _ time: Double, servers: Int, rate: Double, mean: Double, variation: Double
  ) -> Double {
    let offered = rate * mean
    if offered >= Double(servers) { return 1 }
    let spare = Double(servers) - offered
    let scale = mean / spare * (1 + variation) / 2
    let waiting = waiting(servers: servers, offered: offered)
    if time <= 0 { return waiting }
    return scale > 0 ? waiting * exponential(-time / scale) : 0
  }

  /// The fewest servers that lose at most a share of the arrivals.
  public static func servers(offered: Double, blocking limit: Double) -> Int {
    var servers = max(1, Int(offered.rounded(.up)) / 2)
    while blocking(servers: servers, offered: offered) > limit { servers += 1 }
    while servers > 1 && blocking(servers: servers - 1, offered: offered) <= limit { servers -= 1 }
    return servers
  }
}
