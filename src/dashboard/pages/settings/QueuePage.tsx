import { useMemo, useRef, useState } from "preact/hooks"
import { integrations } from "../../api/integrations.ts"
import { useQuery } from "../../api/query.ts"
import { nextSlot, type QueueEntryJson, type QueueJson } from "../../api/queue.ts"
import { useCan } from "../../shared/me.ts"
import { LoadState } from "../../shared/page/LoadState.tsx"
import { Button } from "../../ui/controls/Button.tsx"
import { Field } from "../../ui/controls/Field.tsx"
import { SelectOne } from "../../ui/controls/SelectOne.tsx"
import { EmptyState } from "../../ui/display/EmptyState.tsx"
import { toast } from "../../ui/dialogs/Toasts.tsx"
import { Time } from "../../ui/time/Time.tsx"
import { QueueForm } from "./QueueForm.tsx"
import { formatEntry, QueueWeek } from "./QueueWeek.tsx"
import { type Days, dayName, withoutTime, withTime } from "./queueWeek.ts"
import { SettingsLayout } from "./SettingsLayout.tsx"
import { aboutQueue, useQueue, zoneOf } from "./useQueue.ts"
import { knownZones, zoneOptions } from "./zoneOptions.ts"

const morning = { time: "09:00" }

const NextTime = () => {
  const { data } = useQuery(nextSlot([]))
  const at = data?.data.scheduled_at
  if (at === undefined) return null
  return (
    <p class="secondary">
      {at === null ? (
        "Every time of the next 180 days is taken. Add times."
      ) : (
        <>
          The next free time is <Time as="fixed" at={at} />.
        </>
      )}
    </p>
  )
}

const nothingYet =
  "A post that takes the next free time goes out at the next full hour that is free. Add the times at which you want to publish."

const NoTimes = ({ onAdd }: { readonly onAdd?: (() => void) | undefined }) => (
  <EmptyState
    icon="clock"
    title="No times yet"
    action={
      onAdd !== undefined && (
        <Button icon="plus" onClick={onAdd}>
          Every weekday at {formatEntry(morning)}
        </Button>
      )
    }
  >
    {nothingYet}
  </EmptyState>
)

interface QueueSettingsProps extends Pick<ReturnType<typeof useQueue>, "isPending" | "save"> {
  readonly queue: QueueJson
}

const useQueueActions = ({ isPending, queue, save }: QueueSettingsProps) => {
  const [days, setDays] = useState<Days>("workdays")
  const form = useRef<HTMLDivElement>(null)
  const add = async (where: Days, time: Parameters<typeof withTime>[2]): Promise<string | undefined> => {
    const added = withTime(queue.entries, where, time)
    if ("refused" in added) return added.refused
    const isSaved = await save(queue, { entries: added.entries })
    if (isSaved)
      toast(added.count === 1 ? "The time was added" : `${added.count} times were added`, {
        tone: "success",
        about: aboutQueue
      })
    return undefined
  }
  const remove = async (entry: QueueEntryJson) => {
    if (isPending) return
    const isSaved = await save(queue, { entries: withoutTime(queue.entries, entry) })
    if (isSaved)
      toast(`Removed ${dayName(entry.weekday)} ${formatEntry(entry)}. Planned posts keep their times.`, {
        tone: "success",
        about: aboutQueue
      })
  }
  return {
    days,
    setDays,
    form,
    add,
    remove,
    addOn: (day: Days) => {
      setDays(day)
      form.current?.querySelector<HTMLInputElement>("input")?.focus()
    }
  }
}

const QueueSettings = (props: QueueSettingsProps) => {
  const { isPending, queue, save } = props
  const { add, addOn, days, form, remove, setDays } = useQueueActions(props)
  const accounts = useQuery(integrations)
  const mayChange = useCan()("posts:publish")
  const connected = accounts.data?.data.map(({ platform }) => platform) ?? []
  const zone = zoneOf(queue)
  const zones = useMemo(() => zoneOptions(knownZones, zone, Date.now()), [zone])
  return (
    <>
      {mayChange && (
        <QueueForm
          days={days}
          onDays={setDays}
          connected={[...new Set(connected)]}
          isPending={isPending}
          onAdd={(time) => add(days, time)}
          formRef={form}
        />
      )}
      {queue.entries.length === 0 ? (
        <NoTimes onAdd={mayChange ? () => void add("workdays", morning) : undefined} />
      ) : (
        <QueueWeek
          entries={queue.entries}
          onRemove={mayChange ? (entry) => void remove(entry) : undefined}
          onAddOn={mayChange ? addOn : undefined}
        />
      )}
      <NextTime />
      <div class="profile-fields">
        {mayChange ? (
          <Field label="Time zone of these times" hint="Changing it moves no planned post.">
            {(control) => (
              <SelectOne
                {...control}
                isConfirmed
                value={zone}
                options={zones}
                onChoose={(chosen) => void save(queue, { zone: chosen })}
              />
            )}
          </Field>
        ) : (
          <p class="secondary">The times are in {zone}.</p>
        )}
      </div>
    </>
  )
}

export const Page = () => {
  const { loaded, ...changes } = useQueue()
  const current = loaded.data?.data
  return (
    <SettingsLayout description="The times of a week at which you publish. A post scheduled at the next free time takes the first that is free.">
      <LoadState of={loaded} height="row" lines={4} />
      {current !== undefined && <QueueSettings queue={current} {...changes} />}
    </SettingsLayout>
  )
}
