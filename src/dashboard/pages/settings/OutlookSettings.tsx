import { useLayoutEffect, useRef } from "preact/hooks"
import { describeFailedChange } from "../../api/errors.ts"
import { outlookSettings, type OutlookSettingsJson, updateOutlookSettings } from "../../api/outlook.ts"
import { setData, useMutation, useQuery } from "../../api/query.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Link, useLocation } from "../../shared/router.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { hourOptions } from "./hourOptions.ts"

/** The id that links to the section name. */
const heading = "daily-check"

/** The service's value for no hour is null, which is no value of an option. */
const never = -1

const tellOptions = [
  ["found", "Only if something was found"],
  ["always", "Every day, even if all is fine"]
] as const

const useSave = () => {
  // Two choices in a row are two requests, whose responses may arrive in another order. The reload shows both.
  const { error, run } = useMutation(updateOutlookSettings, { invalidates: [outlookSettings.path] })
  const save = async (changes: Parameters<typeof updateOutlookSettings>[0]) => {
    const outcome = await run(changes)
    if (outcome.ok) setData(outlookSettings, outcome.data)
  }
  return { error, save: (changes: Parameters<typeof save>[0]) => void save(changes) }
}

const NextCheck = ({ next_at: at }: Pick<OutlookSettingsJson, "next_at">) => (
  <p class="secondary">
    {at === null ? (
      "No check is planned."
    ) : (
      <>
        The next check is <Time at={at} as="fixed" />.
      </>
    )}{" "}
    <Link href="/upcoming" class="settings-text-link">
      Check now
    </Link>
  </p>
)

const Fields = ({ always_notify: isAlways, hour, next_at, time_zone: zone }: OutlookSettingsJson) => {
  const { error, save } = useSave()
  return (
    <>
      {error !== undefined && <FormError>{describeFailedChange(error)}</FormError>}
      <div class="profile-fields">
        <Field label="Hour of the daily check" hint={`In ${zone}, the time zone of the workspace’s queue.`}>
          {(control) => (
            <SelectOne
              {...control}
              isConfirmed
              value={hour ?? never}
              options={[[never, "Never"], ...hourOptions()]}
              onChoose={(chosen) => save({ hour: chosen === never ? null : chosen })}
            />
          )}
        </Field>
        {hour !== null && (
          <Field label="Notify about the check">
            {(control) => (
              <SelectOne
                {...control}
                isConfirmed
                value={isAlways ? "always" : "found"}
                options={tellOptions}
                onChoose={(chosen) => save({ always_notify: chosen === "always" })}
              />
            )}
          </Field>
        )}
      </div>
      <NextCheck next_at={next_at} />
    </>
  )
}

/** The browser can't do it, because the section is rendered after the page is loaded. */
const useScrollByLink = (isLoading: boolean) => {
  const section = useRef<HTMLElement>(null)
  const { fragment } = useLocation()
  useLayoutEffect(() => {
    if (fragment === heading) section.current?.scrollIntoView()
  }, [fragment, isLoading])
  return section
}

/** For admins. */
export const OutlookSettings = () => {
  const loaded = useQuery(outlookSettings)
  const section = useScrollByLink(loaded.isLoading)
  return (
    <section ref={section} class="settings-section" aria-labelledby={heading}>
      <h2 id={heading}>Daily check of what is due</h2>
      <p class="secondary">
        Once a day, every post of the next 36 hours is checked as publishing it would. Members are notified of what was
        found.
      </p>
      <LoadState of={loaded} height="row" lines={2} />
      {loaded.data !== undefined && <Fields {...loaded.data.data} />}
    </section>
  )
}
