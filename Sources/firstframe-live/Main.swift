import FirstFrameLiveKit

/// The program, which is the library's verbs with no policies but the shipped ones.
@main
enum Main {
  static func main() async { await FirstFrameLiveProgram.main() }
}
