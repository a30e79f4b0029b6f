import { useEffect, useState } from "preact/hooks"
import { platformName } from "../../../domain/plain/platforms.ts"
import type { LivePlatform } from "../../../domain/platform.ts"
import { describeFailure, type Outcome } from "../../api/errors.ts"
import { type SplitJson, splitText } from "../../api/postActions.ts"
import { Button } from "../../ui/controls/Button.tsx"
import { Checkbox } from "../../ui/controls/Field.tsx"
import { FormError } from "../../ui/controls/FormError.tsx"
import { Dialog } from "../../ui/dialogs/Dialog.tsx"
import { CountRing } from "../../ui/display/CountRing.tsx"
import { PlatformMark } from "../../ui/display/PlatformMark.tsx"
import { Loading, Skeleton } from "../../ui/display/Skeleton.tsx"

export interface SplitDialogProps {
  readonly text: string
  readonly platforms: ReadonlyArray<LivePlatform>
  readonly maxParts: number
  readonly onTake: (texts: ReadonlyArray<string>) => void
  readonly onClose: () => void
}

const Split = ({ maxParts, split }: { readonly split: SplitJson; readonly maxParts: number }) => (
  <>
    <ol class="split-parts">
      {split.parts.map(({ content }, index) => (
        <li key={index} class="split-part">
          <span class="compose-part-number numbers" aria-hidden="true">
            {index + 1}
          </span>
          <p class="preview-text" dir="auto" lang="und">
            {content}
          </p>
          <div class="compose-rings">
            {split.per_platform.map(({ parts, platform }) => {
              const part = parts[index]
              return (
                part !== undefined && (
                  <span key={platform} class="compose-ring">
                    <PlatformMark platform={platform} size={12} />
                    <CountRing name={platformName(platform)} length={part.length} limit={part.limit} />
                  </span>
                )
              )
            })}
          </div>
        </li>
      ))}
    </ol>
    {!split.fits && (
      <FormError>
        {split.parts.length >= maxParts
          ? "There is more text than a thread has room for. The last part holds the rest, and is too long."
          : "A part is still too long, because a link or word in it can’t be cut."}
      </FormError>
    )}
    {split.fits && split.parts.length === 1 && <p class="secondary">All of it fits into one post.</p>}
  </>
)

export const SplitDialog = ({ maxParts, onClose, onTake, platforms, text }: SplitDialogProps) => {
  const [isNumbered, setNumbered] = useState(false)
  const [tries, setTries] = useState(0)
  const [answer, setAnswer] = useState<{ readonly isNumbered: boolean; readonly outcome: Outcome<SplitJson> }>()
  useEffect(() => {
    const controller = new AbortController()
    const ask = async () => {
      const response = await splitText(
        { content: text, platforms, numbering: isNumbered ? "suffix" : "none", max_parts: maxParts },
        controller.signal
      )
      if (controller.signal.aborted) return
      setAnswer({ isNumbered, outcome: response.ok ? { ok: true, data: response.data.data } : response })
    }
    void ask()
    return () => {
      controller.abort()
    }
  }, [isNumbered, tries])
  const outcome = answer?.outcome
  // The former parts stay on screen until the requested ones are loaded, but can't be taken.
  const isAsked = answer?.isNumbered === isNumbered
  const split = outcome?.ok === true ? outcome.data : undefined
  const count = split?.parts.length ?? 0
  return (
    <Dialog
      title="Split into a thread"
      size="large"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            disabled={count < 2 || !isAsked}
            onClick={() => {
              if (split !== undefined) onTake(split.parts.map(({ content }) => content))
            }}
          >
            {count < 2 ? "Use these parts" : `Use these ${count} parts`}
          </Button>
        </>
      }
    >
      <div
        class="split"
        // Stops the dialog from counting this as typed input, so that Escape still closes it.
        onInput={(event) => {
          event.stopPropagation()
        }}
      >
        <Checkbox label="Number the parts, as in 2/7" checked={isNumbered} onChange={setNumbered} />
        {split !== undefined ? (
          <Split split={split} maxParts={maxParts} />
        ) : outcome?.ok === false ? (
          <>
            <FormError>{describeFailure(outcome.error)}</FormError>
            <div>
              <Button
                size="small"
                onClick={() => {
                  setTries(tries + 1)
                }}
              >
                Try again
              </Button>
            </div>
          </>
        ) : (
          <>
            <Loading />
            <Skeleton lines={3} height="card" />
          </>
        )}
      </div>
    </Dialog>
  )
}
