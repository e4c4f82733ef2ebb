import ArgumentParser

struct Standin: AsyncParsableCommand {
}
