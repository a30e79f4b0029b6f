import { factsOf, platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { postingOptions } from "../../api/integrations.ts"
import type { PostingOptionsJson } from "../../api/postingOptions.ts"
import { useQuery } from "../../api/query.ts"
import { Checkbox, Field, FieldNote, Select } from "../../ui/controls/Field.tsx"
import { TextField } from "../../ui/controls/TextField.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { describeAccount, describeUnasked, offered } from "./offered.ts"
import { otherSettingsFor, type OwnSetting, typed, valueOf, withSetting } from "./otherSettings.ts"
import type { EditorProps } from "./useEditor.ts"

interface SettingProps extends EditorProps {
  readonly own: OwnSetting
  /** Undefined if they are not known, or the same for all accounts. */
  readonly options: PostingOptionsJson | undefined
}

const OwnSettingField = ({ editor: { dispatch, issues, state }, options, own }: SettingProps) => {
  const { name, platform, setting } = own
  const { settings = {} } = state.form
  const value = typed(settings[platform]?.[name])
  const { choices, isAvailable, isRefused } = offered(own, options, value)
  const choose = (chosen: string | null) =>
    dispatch({
      type: "form",
      change: { settings: withSetting(settings, own, chosen === null ? null : valueOf(setting, chosen)) }
    })
  if (setting.kind === "choice") {
    const { default: usual = "", label } = setting
    const isRequired = setting.default === undefined
    const refusal = isRefused
      ? `${platformName(platform)} does not offer this to the account at the moment. Choose another.`
      : undefined
    return (
      <Field label={label} error={issues.setting(own) ?? refusal}>
        {(control) => (
          <Select
            {...control}
            value={value === "" ? usual : value}
            onValue={(chosen) => choose(chosen === usual ? null : chosen)}
          >
            {isRequired && <option value="">Choose…</option>}
            {choices.map(({ choice, label: shown }) => (
              <option key={choice} value={choice}>
                {shown}
              </option>
            ))}
          </Select>
        )}
      </Field>
    )
  }
  if (setting.kind === "flag" && setting.label !== undefined) {
    return (
      <Checkbox
        label={setting.label}
        checked={isAvailable && settings[platform]?.[name] === true}
        disabled={!isAvailable}
        {...(isAvailable ? {} : { hint: `Switched off in the account’s own settings on ${platformName(platform)}.` })}
        onChange={(isSet) => dispatch({ type: "form", change: { settings: withSetting(settings, own, isSet) } })}
      />
    )
  }
  // The API alone has those without a label.
  if (setting.kind === "flag" || setting.kind === "kept" || setting.label === undefined) return null
  return (
    <TextField
      label={setting.label}
      hint={setting.hint}
      error={issues.setting(own)}
      {...(setting.kind === "url" && { type: setting.kind })}
      value={value}
      onValue={choose}
    />
  )
}

interface OwnSettingsProps extends EditorProps {
  readonly platform: LivePlatform
}

/** A platform's settings of a post. If accounts there differ in their choices, they are those of the connected one. */
export const OwnSettings = ({ editor, platform }: OwnSettingsProps) => {
  const { asksOptions = false, terms } = factsOf(platform)
  const account = editor.accounts.find(platform)
  const asked = asksOptions && account !== undefined ? postingOptions(account.id) : undefined
  const { data, error, isLoading } = useQuery(asked)
  const settings = otherSettingsFor([platform])
  if (settings.length === 0) return null
  return (
    <fieldset class="compose-platform">
      <legend>
        <PlatformMark platform={platform} /> <span aria-hidden="true">{platformName(platform)}</span>
      </legend>
      <div class="compose-platform-fields">
        {asked !== undefined && (
          <FieldNote
            hint={
              data === undefined
                ? isLoading && `Asking ${platformName(platform)} what this account may choose…`
                : describeAccount(platform, data.data)
            }
            doubt={data === undefined && error !== undefined ? describeUnasked(error) : undefined}
          />
        )}
        <div class="compose-platform-grid">
          {settings.map((own) => (
            <OwnSettingField key={own.name} own={own} options={data?.data} editor={editor} />
          ))}
        </div>
        {terms !== undefined && <FieldNote hint={terms} />}
      </div>
    </fieldset>
  )
}
