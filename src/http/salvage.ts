import { Option, Predicate, Result, Schema, SchemaIssue } from "effect"
import type { Issue } from "../domain/errors.ts"
import { formattedIssues } from "../domain/issues.ts"

type Path = Issue["path"]

/** The part of a body that fits its schema. */
interface Salvaged<A> {
  readonly value: A
  /** The paths of the members that do not fit. */
  readonly leftOut: ReadonlyArray<Path>
}

/** A member may come to light only once the one before it is left out. */
const maxPasses = 4

/** Formatting many issues takes long. */
const maxIssues = 100

const format = SchemaIssue.makeFormatterStandardSchemaV1()

/** A list is left out whole, because the indexes of its other items would change. */
const memberPath = (path: Path): Path => {
  const index = path.findIndex((key) => typeof key === "number")
  return index === -1 ? path : path.slice(0, index)
}

const without = (value: unknown, [key, ...rest]: Path): unknown =>
  Predicate.isObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([name, member]): ReadonlyArray<readonly [string, unknown]> =>
          name !== key ? [[name, member]] : rest.length === 0 ? [] : [[name, without(member, rest)]]
        )
      )
    : value

/** True if the issue is about one of the members, or about a value in it. */
export const isWithin = ({ path }: Pick<Issue, "path">, members: ReadonlyArray<Path>): boolean =>
  members.some((member) => member.every((key, index) => path[index] === key))

/** Leaves out the members that do not fit their schemas. None if that is not enough. */
export const makeSalvage = <A, I>(schema: Schema.Codec<A, I>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (body: unknown): Option.Option<Salvaged<A>> => {
    let rest = body
    const leftOut: Array<Path> = []
    for (let pass = 0; pass < maxPasses; pass++) {
      const decoded = decode(rest)
      if (Result.isSuccess(decoded)) return Option.some({ value: decoded.success, leftOut })
      for (const issue of formattedIssues(decoded.failure.issue, format, maxIssues)) {
        const path = memberPath(issue.path)
        if (path.length === 0) return Option.none()
        if (isWithin({ path }, leftOut)) continue
        rest = without(rest, path)
        leftOut.push(path)
      }
    }
    return Option.none()
  }
}
