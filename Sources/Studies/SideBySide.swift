/// Pieces of work side by side, at most as many at once as there are threads.
enum SideBySide {
  /// Begins the numbers `0..<count` in order, each when a thread is free for it.
  ///
  /// - Parameters:
  ///   - spare: gets the threads for which no number is left.
  ///   - stop: when it is requested no further number is begun.
  ///   - finished: is told of each number as it ends, one after the other, in any order.
  static func run<Output: Sendable>(
    _ count: Int, threads: Int, stop: StopRequest? = nil, spare: SpareThreads? = nil,
    _ work: @escaping @Sendable (_ number: Int) throws -> Output,
    finished: (_ number: Int, _ output: Output) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: (Int, Output).self) { group in
      var next = 0
      func begin() {
        guard next < count, stop?.isRequested != true else {
          spare?.give()
          return
        }
        let number = next
        next += 1
        group.addTask { (number, try work(number)) }
      }
      for _ in 0..<max(1, threads) { begin() }
      while let (number, output) = try await group.next() {
        try finished(number, output)
        begin()
      }
    }
  }

  /// What each number came to, in their order.
  static func map<Output: Sendable>(
    _ count: Int, threads: Int, _ work: @escaping @Sendable (_ number: Int) throws -> Output
  ) async throws -> [Output] {
    var outputs = [Output?](repeating: nil, count: count)
    try await run(count, threads: threads, work) { outputs[$0] = $1 }
    return outputs.compactMap(\.self)
  }
}
