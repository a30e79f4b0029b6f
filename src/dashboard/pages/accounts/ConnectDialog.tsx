import { useState } from "preact/hooks"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import type { FormFacts, LinkField } from "../../../platforms/Platform.ts"
import { type ApiError, describeRest } from "../../api/errors.ts"
import { fieldError } from "../../api/fieldWords.ts"
import { type AccountChangeJson, connectByForm } from "../../api/integrations.ts"
import { useMutation } from "../../api/query.ts"
import { PasswordField, TextField } from "../../ui/controls/TextField.tsx"
import { FormDialog } from "../../ui/dialogs/FormDialog.tsx"
import { DecisionDialog } from "./DecisionDialog.tsx"

export interface ConnectDialogProps {
  readonly platform: LivePlatform
  readonly form: FormFacts
  /** The account to connect again; undefined for a new one. */
  readonly username: string | undefined
  readonly onClose: () => void
  readonly onConnected: (username: string) => void
}

const isChange = (value: unknown): value is AccountChangeJson =>
  typeof value === "object" && value !== null && "token" in value && "replaces" in value

const readChange = (error: ApiError): AccountChangeJson | undefined => {
  const change = error.problem["change"]
  return error.code === "another_account_connected" && isChange(change) ? change : undefined
}

const attributesOf = ({ hint, isUrl, label }: LinkField) =>
  isUrl === true
    ? ({ label, hint, type: "url" } as const)
    : ({ label, hint, autocomplete: "off", autocapitalize: "off", spellcheck: false } as const)

const trimmed = (values: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value.trim() === "" ? [] : [[name, value.trim()]]))
  )

export const ConnectDialog = ({ form, onClose, onConnected, platform, username = "" }: ConnectDialogProps) => {
  const fields = Object.entries(form.fields)
  const required = fields.filter(([, { unfold }]) => unfold === undefined)
  const { secret } = form
  const [values, setValues] = useState<Readonly<Record<string, string>>>(
    Object.fromEntries(fields.flatMap(([name, { isUsername }]) => (isUsername === true ? [[name, username]] : [])))
  )
  const connecting = useMutation((entered: Readonly<Record<string, string>>) => connectByForm(platform, entered))
  const [change, setChange] = useState<AccountChangeJson>()
  const entered = trimmed(values)

  const connect = async () => {
    const outcome = await connecting.run(entered)
    if (outcome.ok) onConnected(outcome.data.data.username)
    else if (outcome.error._tag === "ApiError") setChange(readChange(outcome.error))
  }

  if (change !== undefined) return <DecisionDialog change={change} onClose={onClose} onConnected={onConnected} />

  const { error, isPending } = connecting
  const names = [...Object.keys(form.fields), secret.name]
  const inputOf = (name: string) => ({
    value: values[name] ?? "",
    error: fieldError(error, name),
    onValue: (value: string) => setValues((before) => ({ ...before, [name]: value }))
  })
  return (
    <FormDialog
      title={`Connect ${platformName(platform)}`}
      action="Connect"
      onSubmit={() => void connect()}
      onClose={onClose}
      busy={isPending}
      disabled={[...required.map(([name]) => name), secret.name].some((name) => !(name in entered))}
      problem={describeRest(error, names)}
    >
      {required.map(([name, field], index) => (
        <TextField key={name} {...attributesOf(field)} autofocus={index === 0} {...inputOf(name)} />
      ))}
      <PasswordField label={secret.label} hint={secret.hint} autocomplete="new-password" {...inputOf(secret.name)} />
      {fields.map(
        ([name, field]) =>
          field.unfold !== undefined && (
            <details key={name} class="account-advanced" open={fieldError(error, name) !== undefined}>
              <summary>{field.unfold}</summary>
              <TextField {...attributesOf(field)} {...inputOf(name)} />
            </details>
          )
      )}
    </FormDialog>
  )
}
