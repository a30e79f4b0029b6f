import { Equal, Record, Schema, SchemaTransformation, Struct } from "effect"
import { facts } from "../../platforms/facts.ts"
import type { Setting, Settings } from "../../platforms/Platform.ts"
import { settings as ownSettings } from "../../platforms/settings.ts"
import { alwaysLive, platformName, platforms } from "../plain/platforms.ts"
import { PublishableText, Text } from "./text/publishableText.ts"

const texts = Schema.Array(Text)

const KeptPicture = Schema.Struct({
  url: Schema.String.annotateKey({ description: "The URL that it was fetched from." }),
  hash: Schema.String.annotateKey({ description: "The SHA-256 of its bytes, in hexadecimal." }),
  content_type: Schema.String.annotateKey({ description: "The type of its bytes." }),
  size: Schema.Int.annotateKey({ description: "Its size in bytes." })
})
export type KeptPicture = typeof KeptPicture.Type

export const isKeptPicture = Schema.is(KeptPicture)

type SettingValue<S extends Setting> = S extends { readonly kind: "choice"; readonly choices: infer Choices }
  ? Schema.Literals<ReadonlyArray<keyof Choices & string>>
  : S extends { readonly kind: "texts" }
    ? typeof texts
    : S extends { readonly kind: "flag" }
      ? Schema.Boolean
      : S extends { readonly kind: "kept" }
        ? typeof KeptPicture
        : typeof Text

export type SettingSchema<S extends Setting> = Schema.optionalKey<SettingValue<S>>

export const settingValue = (setting: Setting): SettingValue<Setting> => {
  switch (setting.kind) {
    case "choice":
      return Schema.Literals<ReadonlyArray<string>>(Object.keys(setting.choices))
    case "texts":
      return texts
    case "flag":
      return Schema.Boolean
    case "text":
      return setting.pattern === undefined
        ? Text
        : Text.check(Schema.isPattern(setting.pattern, { expected: setting.expected ?? setting.description }))
    case "url":
      return Text
    case "kept":
      return KeptPicture
  }
}

interface SettingLambda extends Struct.Lambda {
  <S extends Setting>(setting: S): SettingSchema<S>
  readonly "~lambda.out": this["~lambda.in"] extends infer S extends Setting ? SettingSchema<S> : never
}

const settingSchema = Struct.lambda<SettingLambda>((setting) =>
  Schema.optionalKey(settingValue(setting)).annotateKey({ description: setting.description })
)

type SettingsSchema<S extends Settings> = Schema.optionalKey<
  Schema.Struct<{ readonly [Name in keyof S]: SettingSchema<S[Name]> }>
>

interface SettingsLambda extends Struct.Lambda {
  <S extends Settings>(settings: S): SettingsSchema<S>
  readonly "~lambda.out": this["~lambda.in"] extends infer S extends Settings ? SettingsSchema<S> : never
}

export const describeSettings = (own: Settings): string => {
  const platform = platforms.find((each) => ownSettings[each] === own)
  if (platform === undefined || Object.keys(own).length === 0) return "No settings."
  const isEnabled = alwaysLive.some((live) => live === platform)
  return `Settings for ${platformName(platform)}${isEnabled ? "" : ", where it is enabled"}.`
}

const settingsSchema = Struct.lambda<SettingsLambda>((own) =>
  Schema.optionalKey(Schema.Struct(Struct.map(own, settingSchema))).annotateKey({
    description: describeSettings(own)
  })
)

/** Fields that a platform does not list are ignored. */
export const PlatformSettings = Schema.Struct(Struct.map(ownSettings, settingsSchema))
export type PlatformSettings = typeof PlatformSettings.Type

type Check = (value: unknown) => boolean

const checks: ReadonlyMap<string, ReadonlyMap<string, Check>> = new Map(
  Object.entries(PlatformSettings.fields).map(([platform, { schema }]) => [
    platform,
    new Map<string, Check>(
      Object.entries<Schema.optionalKey<Schema.Constraint>>(schema.fields).map(([field, own]) => [
        field,
        Schema.is(own.schema)
      ])
    )
  ])
)

const typed = Schema.decodeUnknownSync(Schema.toType(PlatformSettings))

interface AnySettings {
  readonly [platform: string]: { readonly [field: string]: unknown }
}

const keepSettings = (settings: AnySettings, keeps: (check: Check, value: unknown) => boolean): PlatformSettings =>
  typed(
    Object.fromEntries(
      Object.entries(settings).flatMap(([platform, own]) => {
        const fields = checks.get(platform)
        if (fields === undefined) return []
        const kept = Object.entries(own).filter(([field, value]) => {
          const check = fields.get(field)
          return check !== undefined && keeps(check, value)
        })
        return [[platform, Object.fromEntries(kept)] as const]
      })
    )
  )

/** Those of a request, which can't set what the service sets. */
export const listedSettings = (settings: PlatformSettings): PlatformSettings =>
  keepSettings(settings, (check, value) => !isKeptPicture(value) || !check(value))

/** Ignores what the service sets. */
export const isSameChoice = (left: PlatformSettings, right: PlatformSettings): boolean =>
  Equal.equals(left, right) || Equal.equals(listedSettings(left), listedSettings(right))

export const withField = (
  settings: PlatformSettings,
  platform: string,
  field: string,
  value: unknown
): PlatformSettings => {
  const all: AnySettings = settings
  return typed({ ...all, [platform]: { ...all[platform], [field]: value } })
}

export const fieldOf = (settings: PlatformSettings, platform: string, field: string): unknown => {
  const all: AnySettings = settings
  return all[platform]?.[field]
}

/**
 * Stored settings. Reading drops values that only a later version knows, so that an older version can read the post.
 */
export const StoredSettings = Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Unknown)).pipe(
  Schema.decodeTo(
    Schema.toType(PlatformSettings),
    SchemaTransformation.transform({
      decode: (stored: AnySettings) => keepSettings(stored, (check, value) => check(value)),
      encode: (settings): AnySettings => ({ ...settings })
    })
  )
)

const textByPlatform = <Text extends Schema.Constraint>(text: Text) =>
  Schema.Struct(
    Record.map(facts, (_, platform) =>
      Schema.optionalKey(text).annotateKey({ description: `The text for ${platform}.` })
    )
  )

export const PlatformOverrides = textByPlatform(PublishableText)
export type PlatformOverrides = typeof PlatformOverrides.Type

/** As stored, possibly with texts that the current rules refuse. */
export const StoredOverrides = textByPlatform(Schema.String)
