import type { TopicData, TopicName, TopicParams } from "@ccbridge/protocol/dashboard";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { connection, watch } from "./connection.js";

export function useTopic<T extends TopicName>(topic: T, params: TopicParams<T>) {
  const data = useSignal<TopicData<T> | undefined>(undefined);
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    data.value = undefined;
    error.value = undefined;
    return watch(
      topic,
      params,
      (latest) => {
        data.value = latest;
        error.value = undefined;
      },
      (problem) => {
        error.value = problem;
      },
    );
  }, [topic, JSON.stringify(params)]);
  return { data: data.value, error: error.value };
}

export function mayDecide(): boolean {
  const { value } = connection;
  return value.kind === "open" && value.viewer.mayDecide;
}

export function mayAct(): boolean {
  const { value } = connection;
  return value.kind === "open" && value.viewer.mayAct;
}

export function mustAsk(): boolean {
  const { value } = connection;
  return value.kind === "open" && value.viewer.mustAsk;
}
