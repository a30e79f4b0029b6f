// Writes the types of the document's schemas with openapi-typescript, once as clients send them and once as they get them.
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

// It needs the compiler's API, which the project's own TypeScript lacks, so it is in a folder with another one.
const clients = new URL("../../test/clients/", import.meta.url)
const install = fileURLToPath(new URL("../../.bin/install.mjs", import.meta.url))
execFileSync(process.execPath, [install, fileURLToPath(clients)], { stdio: "inherit" })
const require = createRequire(new URL("package.json", clients))
const ts = require("typescript")
const { astToString, default: openapiTypescript } = require("openapi-typescript")

const { factory } = ts

/** The schemas that a part of the document names, and those that these name. */
export const reachedFrom = (part, schemas, reached = new Set()) => {
  if (typeof part !== "object" || part === null) return reached
  for (const [key, value] of Object.entries(part)) {
    if (key === "examples" || key === "example") continue
    if (key !== "$ref" || typeof value !== "string") reachedFrom(value, schemas, reached)
    else if (value.startsWith("#/components/schemas/")) {
      const name = value.slice("#/components/schemas/".length)
      if (reached.has(name)) continue
      reached.add(name)
      reachedFrom(schemas[name], schemas, reached)
    }
  }
  return reached
}

/** Rewrites each node for which `change` returns another one. */
const rewrite = (nodes, change) => {
  const transformer = (context) => (root) => {
    const visit = (node) => {
      const visited = ts.visitEachChild(node, visit, context)
      return change(visited) ?? visited
    }
    return ts.visitNode(root, visit)
  }
  return ts.transform(nodes, [transformer]).transformed
}

/** openapi-typescript writes words as identifiers with quotes. */
const isWord = (node) => ts.isIdentifier(node) && ts.idText(node).startsWith('"')

/** `string` that does not swallow the words beside it, so that editors still offer them. */
const anyOtherWord = () =>
  factory.createParenthesizedType(
    factory.createIntersectionTypeNode([
      factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword),
      factory.createTypeReferenceNode("Record", [
        factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword),
        factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword)
      ])
    ])
  )

/** Later versions may answer with further words. One word alone tells the members of a union apart, so it stays. */
const openWords = (node) =>
  ts.isUnionTypeNode(node) && node.types.filter(isWord).length > 1
    ? factory.updateUnionTypeNode(node, [...node.types, anyOtherWord()])
    : undefined

/** A member that may be absent may be undefined too, also where the compiler tells these apart. */
const allowUndefined = (node) =>
  ts.isPropertySignature(node) && node.questionToken !== undefined && node.type !== undefined
    ? factory.updatePropertySignature(
        node,
        node.modifiers,
        node.name,
        node.questionToken,
        factory.createUnionTypeNode([node.type, factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword)])
      )
    : undefined

const generate = async (document, names, change, options = {}) => {
  const schemas = Object.fromEntries([...names].map((name) => [name, document.components.schemas[name]]))
  const nodes = await openapiTypescript(
    { openapi: document.openapi, info: document.info, paths: {}, ...options.document, components: { schemas } },
    { silent: true, immutable: options.immutable === true }
  )
  return astToString(rewrite(nodes, change))
}

const operationsOf = ({ paths }) => Object.values(paths).flatMap((item) => Object.values(item))

/** Queries are kept as parameters of operations, without what these answer. */
const withoutAnswers = ({ paths }) =>
  Object.fromEntries(
    Object.entries(paths).map(([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([verb, { operationId, parameters = [] }]) => [
          verb,
          {
            operationId,
            parameters: parameters.filter(({ in: place }) => place !== "header"),
            responses: { 204: { description: "" } }
          }
        ])
      )
    ])
  )

/** The text of the types, and which schemas are in which. */
export const generateSchemas = async (document) => {
  const { components, webhooks } = document
  const operations = operationsOf(document)
  const sent = reachedFrom(
    operations.map(({ parameters, requestBody }) => [parameters, requestBody]),
    components.schemas
  )
  const answered = reachedFrom(
    [operations.map(({ responses }) => responses), components.responses, webhooks],
    components.schemas
  )
  return {
    sent,
    answered,
    requests: await generate(document, sent, allowUndefined, {
      immutable: true,
      document: { paths: withoutAnswers(document) }
    }),
    answers: await generate(document, answered, openWords)
  }
}
