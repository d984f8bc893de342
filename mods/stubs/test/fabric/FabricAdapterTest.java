import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.ccbridge.core.fake.FakeBridge;
import dev.ccbridge.core.json.Json;
import dev.ccbridge.fabric.FabricMod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import net.fabricmc.fabric.api.entity.event.v1.ServerLivingEntityEvents;
import net.fabricmc.fabric.api.event.Event;
import net.fabricmc.fabric.api.event.lifecycle.v1.ServerLifecycleEvents;
import net.fabricmc.fabric.api.event.player.PlayerBlockBreakEvents;
import net.fabricmc.fabric.api.message.v1.ServerMessageEvents;
import net.fabricmc.fabric.api.networking.v1.ServerPlayConnectionEvents;
import net.fabricmc.loader.api.FabricLoader;
import net.minecraft.network.chat.PlayerChatMessage;
import net.minecraft.server.level.ServerPlayer;
import net.minecraft.server.network.ServerGamePacketListenerImpl;
import net.minecraft.world.level.block.state.BlockState;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import stubs.Answers;

@Timeout(180)
class FabricAdapterTest {
    private final Map<Event<?>, Object> listeners = new HashMap<>();
    private final StubServer stub = new StubServer();
    private FakeBridge bridge;

    @BeforeEach
    void start() throws Exception {
        bridge = new FakeBridge();
        for (Event<?> event : List.of(
                ServerLifecycleEvents.SERVER_STARTED, ServerLifecycleEvents.SERVER_STOPPING, ServerPlayConnectionEvents.JOIN, ServerPlayConnectionEvents.DISCONNECT,
                ServerMessageEvents.CHAT_MESSAGE, ServerLivingEntityEvents.AFTER_DEATH, PlayerBlockBreakEvents.AFTER)) {
            Answers.set(event, "register", (Function<Object[], Object>) args -> listeners.put(event, args[0]));
        }
        Answers.setStatic("getInstance", Stub.of(FabricLoader.class, "getConfigDir", Stub.settingsFor(bridge), "getModContainer", Optional.empty()));
        new FabricMod().onInitialize();
        of(ServerLifecycleEvents.SERVER_STARTED).onServerStarted(stub.server);
        assertEquals("Fabric", Json.asObject(bridge.nextCommand("hello").get("game")).get("software"));
    }

    @AfterEach
    void stop() throws Exception {
        of(ServerLifecycleEvents.SERVER_STOPPING).onServerStopping(stub.server);
        bridge.close();
    }

    @SuppressWarnings("unchecked")
    private <T> T of(Event<T> event) {
        return (T) listeners.get(event);
    }

    private static ServerGamePacketListenerImpl handlerOf(ServerPlayer player) {
        ServerGamePacketListenerImpl handler = new ServerGamePacketListenerImpl();
        handler.player = player;
        return handler;
    }

    private void play(ServerPlayer player) {
        of(ServerPlayConnectionEvents.JOIN).onPlayReady(handlerOf(player), null, stub.server);
        of(ServerMessageEvents.CHAT_MESSAGE).onChatMessage(Answers.set(new PlayerChatMessage(), "signedContent", "hi"), player, null);
        of(PlayerBlockBreakEvents.AFTER).afterBlockBreak(stub.level, player, stub.place(), new BlockState(), null);
        of(ServerLivingEntityEvents.AFTER_DEATH).afterDeath(player, stub.fall());
        of(ServerPlayConnectionEvents.DISCONNECT).onPlayDisconnect(handlerOf(player), stub.server);
    }

    @Test
    void reportsTheFiveEventsOfRealPlayers() throws Exception {
        play(stub.describe(new ServerPlayer() {}, "Machine"));
        // Without a profile: the handlers must not throw.
        play(new ServerPlayer());
        play(stub.player("Steve"));
        List<Object> types = new ArrayList<>();
        for (int count = 0; count < 5; count++) types.add(bridge.nextEvent().get("eventType"));
        assertEquals(List.of("player_join", "player_chat", "block_break", "player_death", "player_quit"), types);
    }

    @Test
    void fillsItsQueueWithoutTrouble() throws Exception {
        bridge.close();
        ServerPlayer steve = stub.player("Steve");
        for (int count = 0; count < 2_200; count++) play(steve);
        assertTimeout(FakeBridge.STOP, () -> of(ServerLifecycleEvents.SERVER_STOPPING).onServerStopping(stub.server));
        play(steve);
    }

    @Test
    void stopsWhileACommandRuns() throws Exception {
        // The game accepts the work and never does it.
        Answers.set(stub.server, "execute", null);
        bridge.ask("command", "execute_command", Json.object("command", "say hi"));
        bridge.settle();
        assertTimeout(FakeBridge.STOP, () -> of(ServerLifecycleEvents.SERVER_STOPPING).onServerStopping(stub.server));
    }

    @Test
    void servesTheGame() throws Exception {
        GameChecks.run(bridge, stub);
    }
}
