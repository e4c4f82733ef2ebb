/// The verbs of live runs as a part of another program: what it does behind its own verb `live`.
///
/// The module that has them is not one of those below the command line, so that a program without
/// live runs compiles no sockets.
public struct LiveVerbs: Sendable {
  private let perform: @Sendable ([String]) async -> Void

  /// - Parameter perform: does what arguments ask for, of which the verb is the first, and ends the
  ///   process with an exit code where that is not 0.
  public init(_ perform: @escaping @Sendable ([String]) async -> Void) { self.perform = perform }

  /// Does what the arguments ask for.
  public func callAsFunction(_ arguments: [String]) async { await perform(arguments) }
}
