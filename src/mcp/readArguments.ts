import { Option, Predicate, Result, type Schema, SchemaAST } from "effect"

type Kind = "null" | "string" | "number" | "boolean" | "array" | "object"

const kindOf = (value: unknown): Kind | undefined => {
  if (value === null) return "null"
  if (Array.isArray(value)) return "array"
  const type = typeof value
  return type === "string" || type === "number" || type === "boolean" || type === "object" ? type : undefined
}

/** The JSON that a schema's encoded side can be. Undefined means any. */
const kindsOf = (ast: SchemaAST.AST): ReadonlyArray<Kind> | undefined => {
  switch (ast._tag) {
    case "Null":
      return ["null"]
    case "String":
    case "TemplateLiteral":
      return ["string"]
    case "Number":
      return ["number"]
    case "Boolean":
      return ["boolean"]
    case "Literal":
      return Option.toArray(Option.fromUndefinedOr(kindOf(ast.literal)))
    case "Arrays":
      return ["array"]
    case "Objects":
      return ["object"]
    case "Undefined":
      return []
    case "Suspend":
      return kindsOf(ast.thunk())
    case "Union": {
      const all = ast.types.map(kindsOf)
      return all.every(Predicate.isNotUndefined) ? all.flat() : undefined
    }
    default:
      return undefined
  }
}

const isOfKind = (ast: SchemaAST.AST, value: unknown): boolean => {
  const kinds = kindsOf(ast)
  const kind = kindOf(value)
  return kinds === undefined || (kind !== undefined && kinds.includes(kind))
}

/** The only alternative that the value can be, or the schema itself. */
const alternativeFor = (ast: SchemaAST.AST, value: unknown): SchemaAST.AST => {
  if (SchemaAST.isSuspend(ast)) return alternativeFor(ast.thunk(), value)
  if (!SchemaAST.isUnion(ast)) return ast
  const [only, ...others] = ast.types.filter((type) => isOfKind(type, value))
  return only === undefined || others.length > 0 ? ast : alternativeFor(only, value)
}

const parse = (text: string) => Result.try((): unknown => JSON.parse(text))

/** A text that is JSON of a wanted kind becomes that value. */
const unquote = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (typeof value !== "string" || isOfKind(ast, value)) return value
  const parsed = parse(value)
  return Result.isSuccess(parsed) && (parsed.success === null || isOfKind(ast, parsed.success)) ? parsed.success : value
}

const isEmpty = (value: unknown): boolean => Predicate.isObject(value) && Object.keys(value).length === 0

/** Leaves out null, and objects in which everything is null. */
const readMembers = (ast: SchemaAST.Objects, value: object): object =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, sent]: readonly [string, unknown]) => {
      const type =
        ast.propertySignatures.find((property) => property.name === name)?.type ?? ast.indexSignatures[0]?.type
      if (type === undefined) return [[name, sent]]
      const read = readValue(type, sent)
      return read === null || (isEmpty(read) && !isEmpty(sent) && sent !== "{}") ? [] : [[name, read]]
    })
  )

const readValue = (ast: SchemaAST.AST, sent: unknown): unknown => {
  const value = unquote(ast, sent)
  const type = alternativeFor(ast, value)
  if (SchemaAST.isArrays(type) && Array.isArray(value)) {
    return value.map((item: unknown, index) => {
      const itemType = type.elements[index] ?? type.rest[0]
      return itemType === undefined ? item : readValue(itemType, item)
    })
  }
  return SchemaAST.isObjects(type) && Predicate.isObject(value) ? readMembers(type, value) : value
}

/**
 * Arguments as their sender meant them. Some agents' clients send null for every argument that is not set, and some
 * models write arrays, objects, numbers and booleans as JSON text. Null is left out, because no argument has a meaning
 * for it. Such a text is parsed if the schema has no text. Everything else stays for the schema to refuse.
 */
export const makeReadArguments = (schema: Schema.Constraint) => {
  const encoded = SchemaAST.toEncoded(schema.ast)
  return (args: unknown): unknown => readValue(encoded, args)
}
