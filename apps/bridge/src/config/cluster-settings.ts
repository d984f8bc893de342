import { z } from "zod";
import { integer, list, setting, text } from "./setting.js";

const servers = list.refine((urls) => urls.every(isNatsUrl), {
  message:
    "must be addresses of NATS servers such as nats://nats.example.org:4222, separated by commas",
});
const prefix = z.string().regex(/^[a-z0-9_-]{1,32}$/, "must be 1 to 32 of a-z, 0-9, _ and -");

export const clusterSettings = {
  cluster: setting(
    "CC_CLUSTER",
    servers,
    [] as string[],
    "urls",
    "NATS servers with JetStream, separated by commas, through which several bridges work as one; see [cluster.md](cluster.md). nats:// or tls://, with a user and password or a token in the address where NATS asks for them. None: this bridge works alone.",
  ),
  clusterName: setting(
    "CC_CLUSTER_NAME",
    text,
    "",
    "name",
    "How this bridge is called in the cluster. None: the host name and the link port.",
  ),
  clusterPrefix: setting(
    "CC_CLUSTER_PREFIX",
    prefix,
    "ccbridge",
    "name",
    "What all NATS subjects and buckets of the cluster begin with: bridges with another prefix are another cluster.",
  ),
  clusterReplicas: setting(
    "CC_CLUSTER_REPLICAS",
    integer(1, 5),
    1,
    "count",
    "How many NATS servers keep the directory and the history of the cluster: 3 where NATS has three servers or more.",
  ),
  clusterCredsFile: setting(
    "CC_CLUSTER_CREDS_FILE",
    text,
    "",
    "path",
    "A NATS credentials file (JWT and seed).",
  ),
  clusterNkeyFile: setting(
    "CC_CLUSTER_NKEY_FILE",
    text,
    "",
    "path",
    "A file with the seed of an nkey that NATS knows.",
  ),
  clusterCaFile: setting(
    "CC_CLUSTER_CA_FILE",
    text,
    "",
    "path",
    "The certificates of the authorities that signed those of the NATS servers. Setting it turns TLS on.",
  ),
  clusterCertFile: setting(
    "CC_CLUSTER_CERT_FILE",
    text,
    "",
    "path",
    "The certificate by which NATS knows this bridge, where it asks for one.",
  ),
  clusterKeyFile: setting(
    "CC_CLUSTER_KEY_FILE",
    text,
    "",
    "path",
    "The private key of that certificate.",
  ),
} as const;

function isNatsUrl(value: string): boolean {
  return /^(nats|tls):\/\/[^/\s]+\/?$/.test(value) && URL.canParse(value);
}
