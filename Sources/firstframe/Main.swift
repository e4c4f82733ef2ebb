import FirstFrameKit

/// The program, which is the library's command line with no policies but the shipped ones.
@main
enum Main {
  static func main() { FirstFrameTool().main() }
}
