internal import CGSL

/// The only door to the GNU Scientific Library.
///
/// **Why GSL stays behind this door.** GSL is licensed under the GNU General Public License,
/// version 3. A program that links it can be distributed only under that licence. The library
/// products (`MediaUnits`, `FeedPolicy`, `CachePolicy` and their kin) are meant to be linked into
/// apps and servers under any licence, so they must never reach GSL, directly or through another
/// module. Therefore:
/// - only the module `Statistics` imports `CGSL`, and with `internal import`, so that no GSL type
///   can appear in a public signature;
/// - `Models` and `SimulationKernel` do not import `Statistics`: they receive finished tables of
///   plain numbers (``TabulatedLaw``, ``AliasTable``), which carry no licence with them;
/// - the command-line programs, which do link GSL, are distributed under GPL-3 terms.
///
/// **Errors.** GSL's own handler aborts the process, so it is switched off once, before the first
/// call. A status other than success, a NaN or an infinity becomes a ``StatisticsError``.
public enum GSLBoundary {
  /// The version of the GSL library that the program runs with, such as `2.7.1`.
  public static var version: String { String(cString: firstframe_gsl_version()) }

  /// Evaluated once per process, by the first call of ``value(_:_:)`` or ``status(_:_:)``.
  private static let handlerIsOff: Bool = {
    gsl_set_error_handler_off()
    return true
  }()

  /// Switches the aborting handler off (the first time) and refuses a result that is not finite.
  @inline(__always)
  static func value(
    _ name: StaticString, _ compute: () -> Double
  ) throws(StatisticsError) -> Double {
    precondition(handlerIsOff, "GSL's aborting error handler is still on")
    let result = compute()
    if !result.isFinite { throw .numeric("a finite \(name)", got: "\(result)") }
    return result
  }

  /// Switches the aborting handler off (the first time) and turns a status into an error.
  static func status(
    _ name: String, _ call: () -> Int32
  ) throws(StatisticsError) {
    precondition(handlerIsOff, "GSL's aborting error handler is still on")
    let code = call()
    if code != 0 {
      throw .numeric("success of \(name)", got: "\(String(cString: gsl_strerror(code))) (\(code))")
    }
  }
}

/// Switches the handler off before a caller allocates a GSL workspace.
extension GSLBoundary {
  /// What `make` allocates; `statistics.numeric` when it is nothing.
  static func allocated<Object>(
    _ name: StaticString, _ make: () -> Object?
  ) throws(StatisticsError) -> Object {
    precondition(handlerIsOff, "GSL's aborting error handler is still on")
    guard let object = make() else { throw .numeric("memory for a \(name)", got: "none") }
    return object
  }

  /// ∫ `f` over [`a`, `b`] by adaptive 21-point Gauss-Kronrod rules (QUADPACK's QAG).
  ///
  /// Around kinks and steep ends the interval is bisected up to 500 times. A round-off status is
  /// accepted when the estimated error meets ten times the absolute tolerance.
  /// - Throws: `statistics.numeric`, or the first error `f` threw.
  static func integral(
    from a: Double, to b: Double, absolute: Double, relative: Double,
    of f: (Double) throws(StatisticsError) -> Double
  ) throws(StatisticsError) -> Double {
    var result = 0.0
    var estimate = 0.0
    var code: Int32 = 0
    var failure: StatisticsError?
    let workspace = try allocated("workspace of integration") {
      gsl_integration_workspace_alloc(500)
    }
    defer { gsl_integration_workspace_free(workspace) }
    withoutActuallyEscaping(f) { escapable in
      let box = Integrand(escapable)
      var function = gsl_function()
      function.function = { x, pointer in
        guard let pointer else { return .nan }
        return Unmanaged<Integrand>.fromOpaque(pointer).takeUnretainedValue().value(at: x)
      }
      function.params = Unmanaged.passUnretained(box).toOpaque()
      code = withExtendedLifetime(box) {
        gsl_integration_qag(
          &function, a, b, absolute, relative, 500, 2, workspace, &result, &estimate)
      }
      failure = box.failure
      box.release()
    }
    if let failure { throw failure }
    if code != 0 && !(estimate <= 10 * max(absolute, relative * abs(result))) {
      throw .numeric("a convergent integral", got: String(cString: gsl_strerror(code)))
    }
    if !result.isFinite { throw .numeric("a finite integral", got: "\(result)") }
    return result
  }
}

/// Carries a Swift function through GSL's C callback and keeps the first error it throws.
private final class Integrand {
  private var function: ((Double) throws(StatisticsError) -> Double)?
  private(set) var failure: StatisticsError?

  init(_ function: @escaping (Double) throws(StatisticsError) -> Double) {
    self.function = function
  }

  func value(at x: Double) -> Double {
    guard failure == nil, let function else { return .nan }
    do {
      return try function(x)
    } catch {
      failure = error
      return .nan
    }
  }

  func release() { function = nil }
}
