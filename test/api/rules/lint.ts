// Reads an OpenAPI document from standard input, and prints the problems that Redocly's rules and Spectral's find in it.
import { text } from "node:stream/consumers"
import { createConfig, lintFromString } from "@redocly/openapi-core"
import spectral from "@stoplight/spectral-core"
import owasp from "@stoplight/spectral-owasp-ruleset"
import rulesets from "@stoplight/spectral-rulesets"

const lintWithRedocly = async (source: string) => {
  const config = await createConfig({
    extends: ["recommended"],
    rules: {
      "no-invalid-schema-examples": "error",
      "no-invalid-media-type-examples": "error",
      "no-invalid-parameter-examples": "error"
    }
  })
  const problems = await lintFromString({ source, config })
  return problems.map(({ ruleId, message, location: [place] }) => ({ rule: ruleId, message, where: place?.pointer }))
}

/** Redocly's rules check the examples, for which Spectral would compile each one's schema again. */
const checkedByRedocly = { "oas3-valid-media-example": "off", "oas3-valid-schema-example": "off" } as const

const lintWithSpectral = async (source: string) => {
  const linter = new spectral.Spectral()
  linter.setRuleset(new spectral.Ruleset({ extends: [rulesets.oas, owasp], rules: checkedByRedocly }))
  const problems = await linter.run(source)
  return problems.map(({ code, message, path }) => ({ rule: String(code), message, where: path.join("/") }))
}

const source = await text(process.stdin)
process.stdout.write(JSON.stringify([...(await lintWithRedocly(source)), ...(await lintWithSpectral(source))]))
