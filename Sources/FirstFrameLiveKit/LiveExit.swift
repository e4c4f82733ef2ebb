import ArgumentParser
import Foundation
import LoadHarness
import Scenario
import SimulationKernel
import Studies

/// The exit codes (contract.md section 2).
enum LiveExit {
  static let internalError: Int32 = 1
  static let invalid: Int32 = 13
  static let partial: Int32 = 14
  static let badData: Int32 = 65
  static let missingFile: Int32 = 66
  static let unavailable: Int32 = 69
  static let cannotWrite: Int32 = 73

  static let help = """
    Exit codes of the servers:
        0  stopped by SIGINT, SIGTERM or SIGHUP, after a summary; 128 and the signal's number when
           it was not over 10 s later
        1  internal error
       64  usage: an option or a verb that does not exist, a value out of range
       65  bad data: a scenario or certificate that cannot be used
       66  an input file is missing
       69  a program that is needed is absent
       73  the port cannot be had
    """

  /// Runs a verb and turns what it throws into a message and an exit code.
  static func reported(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as ScenarioRejected {
      LiveConsole.note(error.description)
      throw ExitCode(error.kind == .missingFile ? missingFile : badData)
    } catch let error as ServerCertificate.Failure {
      throw certificate(error)
    } catch let error as HarnessFailure {
      LiveConsole.error(error.message)
      throw ExitCode(error.exitCode)
    } catch let error as LiveTarget.Failure {
      LiveConsole.error(error.description)
      throw ExitCode(error.isLookup ? unavailable : 64)
    } catch let error as LiveRefusal {
      LiveConsole.error(error.text)
      throw ExitCode(badData)
    } catch let error as PortTaken {
      LiveConsole.error("--port: expected a port that is free, got \(error.port): \(error.reason)")
      throw ExitCode(cannotWrite)
    } catch let error as SimulationError {
      LiveConsole.error(error.message)
      throw ExitCode(error.code == .policyFailed ? badData : internalError)
    } catch let error as ExitCode {
      throw error
    } catch let error as ValidationError {
      throw error
    } catch {
      LiveConsole.error("internal error: \(error)")
      throw ExitCode(internalError)
    }
  }

  private static func certificate(_ failure: ServerCertificate.Failure) -> ExitCode {
    switch failure {
    case .missing(let path):
      LiveConsole.error("\(path): expected a file that can be read, got none")
      return ExitCode(missingFile)
    case .unusable(let path):
      LiveConsole.error("\(path): expected a PEM certificate and its key, got something else")
      return ExitCode(badData)
    case .noTool(let name):
      LiveConsole.error(
        "--tls: expected the program \(name), got none that works; install it, or name a "
          + "certificate with --certificate and --key")
      return ExitCode(unavailable)
    }
  }

  /// The port is another's.
  struct PortTaken: Error {
    let port: Int
    let reason: String
  }

  /// Starts a server, and tells a port that cannot be had from other errors.
  static func listening<Server>(
    on port: Int, _ start: () async throws -> Server
  ) async throws -> Server {
    do {
      return try await start()
    } catch let error as ServerCertificate.Failure {
      throw error
    } catch let error as ScenarioRejected {
      throw error
    } catch let error as HarnessFailure {
      throw error
    } catch {
      throw PortTaken(port: port, reason: "\(error)")
    }
  }
}

/// Standard output and standard error of the program.
enum LiveConsole {
  /// Writes a line to standard output at once. Where nobody reads any more nothing is written:
  /// `FileHandle.write(_:)` would end the process by a trap.
  static func output(_ text: String) {
    let shown = VisibleText.terminal(text, color: false)
    try? FileHandle.standardOutput.write(contentsOf: Data((shown + "\n").utf8))
  }

  /// Writes one message to standard error; each line of it begins with the program's name.
  static func error(_ message: String) {
    note(
      message.split(separator: "\n").map { "\(LiveProgram.name): \($0)" }
        .joined(separator: "\n"))
  }

  /// Writes what the program has to say of itself to standard error.
  static func tell(_ text: String) { note("\(LiveProgram.name): \(text)") }

  /// Writes lines to standard error.
  static func note(_ text: String) {
    let shown = VisibleText.terminal(text, color: false)
    try? FileHandle.standardError.write(contentsOf: Data((shown + "\n").utf8))
  }
}

/// `--port`, `--tls`, `--certificate` and `--key`.
struct ListenOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The port, 0 for any that is free.", valueName: "port"),
    transform: { text in
      guard let port = Int(text), (0...65_535).contains(port) else {
        throw ValidationError("expected a port in 0...65535, got \(text)")
      }
      return port
    })
  var port = 8080

  @Option(help: ArgumentHelp("The address to listen on.", valueName: "address"))
  var host = "127.0.0.1"

  @Flag(help: "Use TLS with a certificate made at start, and offer HTTP/2.")
  var tls = false

  @Option(help: ArgumentHelp("A PEM certificate chain; implies --tls.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("The PEM key of the certificate.", valueName: "file"))
  var key: String?

  func validate() throws {
    if (certificate == nil) != (key == nil) {
      throw ValidationError("expected --certificate and --key together, got one of them")
    }
  }

  /// The certificate that the options ask for; nil for plain HTTP.
  func makeCertificate() throws -> ServerCertificate? {
    if let certificate, let key {
      return try ServerCertificate(certificatePath: certificate, keyPath: key)
    }
    return tls ? try ServerCertificate.selfSigned() : nil
  }

  /// `http://127.0.0.1:8080`.
  func url(_ port: Int) -> String {
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(tls || certificate != nil ? "https" : "http")://\(name):\(port)"
  }
}
