import { type MailMode, type MailType, mailTypes } from "../../../domain/plain/mail.ts"
import { serviceNow } from "../../api/clock.ts"
import { mail, type MailJson, updateMail } from "../../api/mail.ts"
import { describeFailedChange } from "../../api/errors.ts"
import { setData, useMutation, useQuery } from "../../api/query.ts"
import { useMe } from "../../shared/me.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Link } from "../../shared/router.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { dayMillis } from "../../ui/time/time.ts"
import { hourOptions } from "./hourOptions.ts"
import { MailLog } from "./MailLog.tsx"
import { mailName } from "./mailNames.ts"
import { OutlookSettings } from "./OutlookSettings.tsx"
import { SettingsLayout } from "./SettingsLayout.tsx"

const modeOptions: ReadonlyArray<readonly [MailMode, string]> = [
  ["now", "Immediately"],
  ["digest", "Once a day"],
  ["off", "Never"]
]

/** In days. */
const muteOptions = [
  [0, "Choose how long"],
  [1, "For a day"],
  [7, "For a week"],
  [30, "For 30 days"]
] as const

type Changes = Parameters<typeof updateMail>[0]

const useSave = () => {
  const { error, isPending, run } = useMutation(updateMail)
  const save = async (changes: Changes) => {
    if (isPending) return false
    const outcome = await run(changes)
    if (outcome.ok) setData(mail, outcome.data)
    return outcome.ok
  }
  return { error, isPending, save }
}

type Save = ReturnType<typeof useSave>

const ModeField = ({ mode, save, type }: Save & { readonly type: MailType; readonly mode: MailMode }) => (
  <Field label={mailName(type)}>
    {(control) => (
      <SelectOne
        {...control}
        isConfirmed
        value={mode}
        options={modeOptions}
        onChoose={(chosen) => void save({ modes: { [type]: chosen } })}
      />
    )}
  </Field>
)

const MuteField = ({ isPending, muted_until: until, save }: Save & Pick<MailJson, "muted_until">) => {
  const mute = async (days: number) => {
    if (days === 0) return
    const isSaved = await save({ muted_until: new Date(serviceNow().getTime() + days * dayMillis).toISOString() })
    if (isSaved) toast("Mail is muted", { tone: "success" })
  }
  if (until !== null && new Date(until) > serviceNow()) {
    return (
      <>
        <p>
          Muted until <Time at={until} as="fixed" />.
        </p>
        <div>
          <Button busy={isPending} onClick={() => void save({ muted_until: null })}>
            End the mute
          </Button>
        </div>
      </>
    )
  }
  return (
    <Field
      label="Get no mail for a while"
      hint="The dashboard still shows everything. Failures still come if no other admin gets them."
    >
      {(control) => (
        <SelectOne {...control} isConfirmed value={0} options={muteOptions} onChoose={(days) => void mute(days)} />
      )}
    </Field>
  )
}

const MailSettings = ({ digest_hour: hour, enabled, modes, muted_until, time_zone: zone }: MailJson) => {
  const saving = useSave()
  const usesDigest = Object.values(modes).includes("digest")
  return (
    <>
      {!enabled && (
        <p role="note" class="secondary">
          This service sends no mail yet: its operator has not set up a mail server. Your choices count from then on.
        </p>
      )}
      {saving.error !== undefined && <FormError>{describeFailedChange(saving.error)}</FormError>}
      <div class="profile-fields">
        {mailTypes.map((type) => {
          const mode = modes[type]
          return mode === undefined ? null : <ModeField key={type} {...saving} type={type} mode={mode} />
        })}
        <Field
          label="Hour of the daily summary"
          hint={`In ${zone}, the time zone of the workspace’s queue.${usesDigest ? "" : " Nothing is in the summary yet."}`}
        >
          {(control) => (
            <SelectOne
              {...control}
              isConfirmed
              value={hour}
              options={hourOptions()}
              onChoose={(chosen) => void saving.save({ digest_hour: chosen })}
            />
          )}
        </Field>
      </div>
      <section class="settings-section" aria-labelledby="mute">
        <h2 id="mute">Mute</h2>
        <div class="profile-fields">
          <MuteField {...saving} muted_until={muted_until} />
        </div>
      </section>
      <Link href="/settings/profile">Choose what the dashboard shows as unread</Link>
    </>
  )
}

export const Page = () => {
  const loaded = useQuery(mail)
  const isAdmin = useMe().caller.role === "admin"
  return (
    <SettingsLayout description="What you get by mail about this workspace">
      <LoadState of={loaded} height="row" lines={6} />
      {loaded.data !== undefined && <MailSettings {...loaded.data.data} />}
      {/* Later, the choices above would move it away from somebody whose link leads to it. */}
      {isAdmin && !loaded.isLoading && <OutlookSettings />}
      {isAdmin && <MailLog />}
    </SettingsLayout>
  )
}
