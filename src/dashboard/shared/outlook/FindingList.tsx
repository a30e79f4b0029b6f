import { withPeriod } from "../../api/errors.ts"
import type { FindingJson, OutlookPostJson } from "../../api/outlookJson.ts"
import { Icon, type IconName } from "../../ui/Icon.tsx"
import { useCan } from "../me.ts"
import { Link } from "../router.tsx"
import { postPath, type Step, stepOf } from "./findingStep.ts"

interface Look {
  readonly icon: IconName
  readonly status: string
  readonly word: string
}

const looks: Readonly<Record<FindingJson["level"], Look>> = {
  needs_you: { icon: "warning", status: "unknown", word: "Needs you" },
  note: { icon: "question", status: "draft", word: "Note" }
}

const Finding = ({ finding, step }: { readonly finding: FindingJson; readonly step: Step | undefined }) => {
  const { help, level, message } = finding
  const { icon, status, word } = looks[level]
  return (
    <li class={`finding status-${status}`}>
      <Icon name={icon} />
      <div class="finding-text">
        <p dir="auto">
          <span class="only-read">{word}: </span>
          {withPeriod(message)}
        </p>
        <p class="secondary small">{withPeriod(help)}</p>
      </div>
      {step !== undefined && (
        <Link class="button button-secondary button-small" href={step.href}>
          {step.label}
        </Link>
      )}
    </li>
  )
}

export interface FindingListProps {
  readonly post: Pick<OutlookPostJson, "findings" | "id">
  /** True where the post itself is shown, so that no link leads to it. */
  readonly isShown?: boolean
}

/** Several findings whose step is done on the same page have one link to it. */
export const FindingList = ({ isShown = false, post: { findings, id } }: FindingListProps) => {
  const can = useCan()
  const linked = new Set(isShown ? [postPath(id)] : [])
  return (
    <ul class="findings">
      {findings.map((finding, index) => {
        const step = stepOf(finding, id, can)
        const isNew = step !== undefined && !linked.has(step.href)
        if (isNew) linked.add(step.href)
        return <Finding key={index} finding={finding} step={isNew ? step : undefined} />
      })}
    </ul>
  )
}
