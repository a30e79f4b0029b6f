import { writeFileSync } from "node:fs"
import path from "node:path"
import type { SerializedError } from "vitest"
import type { Reporter, TestModule, TestSuite } from "vitest/node"
import { root } from "./support/process/program.ts"

/** The variable with the path of the file in which `.bin/test.mjs` looks for failures. */
const variable = "FAILED_TESTS"

const inRoot = (file: string): string => path.relative(root, file)

/** The first line of a message, which a thrown value that is no error lacks, although its type promises one. */
const firstLine = (message: string | undefined): string =>
  message?.trim().split("\n", 1)[0] ?? "a value that is not an error"

/** The title of a test or a suite, after the path of its file, and after the project whose policies can be the cause. */
const titleIn = ({ moduleId, project }: TestModule, names: ReadonlyArray<string>): string =>
  [inRoot(moduleId) + (project.name === "policed" ? ` (--project ${project.name})` : ""), ...names].join(" > ")

/** A line for each error of a file or suite that can't be loaded or whose hook failed. */
const errorLines = (title: string, errors: ReadonlyArray<SerializedError>): ReadonlyArray<string> =>
  errors.map(({ message }) => `${title}: ${firstLine(message)}`)

const linesOf = (
  module: TestModule,
  parent: TestModule | TestSuite,
  names: ReadonlyArray<string>
): ReadonlyArray<string> => [
  ...errorLines(titleIn(module, names), parent.errors()),
  ...[...parent.children].flatMap((child) => {
    const inner = [...names, child.name]
    if (child.type === "suite") return linesOf(module, child, inner)
    const { errors, state } = child.result()
    return state === "failed" ? errorLines(titleIn(module, inner), errors.slice(0, 1)) : []
  })
]

/** Writes what failed to a file, one per line with the first line of its error, including files that could not be loaded. */
export const failedTests: Reporter = {
  onTestRunEnd: (modules, unhandled) => {
    const file = process.env[variable]
    if (file === undefined) return
    const lines = [
      ...modules.flatMap((module) => linesOf(module, module, [])),
      ...unhandled.flatMap(({ message, VITEST_TEST_PATH: source }) =>
        errorLines(typeof source === "string" ? inRoot(source) : "Outside of any test", [{ message }])
      )
    ]
    writeFileSync(file, lines.toSorted().join("\n"))
  }
}
