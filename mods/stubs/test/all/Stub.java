import dev.ccbridge.core.fake.FakeBridge;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import stubs.Answers;

/** Creates stubs of interfaces, and settings for a fake bridge. */
final class Stub {
    private Stub() {}

    static <T> T of(Class<T> type, Object... namesAndValues) {
        Object proxy = Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().equals("hashCode")) return System.identityHashCode(self);
            if (method.getName().equals("equals")) return self == args[0];
            Object answer = Answers.of(self, method.getName(), args == null ? new Object[0] : args);
            if (answer != null) return answer;
            Class<?> returned = method.getReturnType();
            return returned == boolean.class ? false : returned == int.class ? 0 : returned == long.class ? 0L : returned == double.class ? (Object) 0.0 : null;
        });
        return Answers.set(type.cast(proxy), namesAndValues);
    }

    /** A folder with settings for the bridge. */
    static Path settingsFor(FakeBridge bridge) throws Exception {
        Path folder = Files.createTempDirectory(Path.of("").toAbsolutePath(), "settings-");
        Files.writeString(
                folder.resolve("minecraft-mcp-bridge.toml"),
                "[bridge]\nurl = \"ws://127.0.0.1:" + bridge.port() + "\"\nauth_token = \"a-good-token\"\n[commands]\nallowed_patterns = ['.*']\n");
        return folder;
    }
}
