// Prints the problems that importers of a packed package would have: node checkPackage.ts <tarball>
import { readFileSync } from "node:fs"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { publint } from "publint"
import { formatMessage } from "publint/utils"

const [tarball = ""] = process.argv.slice(2)
const bytes = readFileSync(tarball)

const { messages, pkg } = await publint({ pack: { tarball: Uint8Array.from(bytes).buffer }, strict: true })
const linted = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)

/** The package is only for ESM, so CommonJS and resolution without `exports` do not matter. */
const isMeant = (problem: object) =>
  !("resolutionKind" in problem && ["node10", "node16-cjs"].includes(String(problem.resolutionKind)))

const checked = await checkPackage(createPackageFromTarballData(Uint8Array.from(bytes)))
const problems = checked.types === false ? ["There are no types"] : checked.problems.filter(isMeant)

process.stdout.write(JSON.stringify([...linted, ...problems]))
