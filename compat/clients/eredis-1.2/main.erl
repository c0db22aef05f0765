#!/usr/bin/env escript
%%! -noinput -env ERL_CRASH_DUMP_SECONDS 0
%% Drives eredis; package compat says what it is asked to do and what it
%% prints.

-mode(compile).

main([Task, Addr, _Resp, _Kind | Channels]) ->
    [Host, Port] = string:split(Addr, ":", trailing),
    case Task of
        "keys" -> keys(Host, list_to_integer(Port));
        "subscribe" -> subscribe(Host, list_to_integer(Port), [list_to_binary(C) || C <- Channels])
    end.

keys(Host, Port) ->
    {ok, Client} = eredis:start_link(Host, Port),
    Numbers = [integer_to_list(N) || N <- lists:seq(0, 49)],
    [{ok, <<"OK">>} = eredis:q(Client, ["SET", "key:" ++ N, N]) || N <- Numbers],
    Right = [N || N <- Numbers, eredis:q(Client, ["GET", "key:" ++ N]) =:= {ok, list_to_binary(N)}],
    io:format("keys ~b~n", [length(Right)]).

subscribe(Host, Port, Channels) ->
    {ok, Sub} = eredis_sub:start_link(Host, Port, ""),
    eredis_sub:controlling_process(Sub),
    case string:find(hd(Channels), "*") of
        nomatch -> eredis_sub:subscribe(Sub, Channels);
        _ -> eredis_sub:psubscribe(Sub, Channels)
    end,
    Self = self(),
    spawn_link(fun() -> wait_for_end(Self) end),
    receive_all(Sub).

%% Standard input is read through a port, as no shell reads it.
wait_for_end(Main) ->
    Input = open_port({fd, 0, 0}, [in, eof]),
    (fun Loop() -> receive {Input, eof} -> Main ! ended; {Input, _} -> Loop() end end)().

receive_all(Sub) ->
    receive
        ended -> halt(0);
        {subscribed, Channel, Sub} ->
            io:format("subscribed ~s~n", [Channel]);
        {message, Channel, Payload, Sub} ->
            io:format("message ~s ~s~n", [Channel, json(Payload)]);
        {pmessage, Pattern, Channel, Payload, Sub} ->
            io:format("pmessage ~s ~s ~s~n", [Pattern, Channel, json(Payload)]);
        Other ->
            io:format("error ~0p~n", [Other]),
            halt(1)
    end,
    eredis_sub:ack_message(Sub),
    receive_all(Sub).

json(undefined) -> "null";
json(N) when is_integer(N) -> integer_to_list(N);
json(L) when is_list(L) -> ["[", lists:join(",", [json(E) || E <- L]), "]"];
json(B) when is_binary(B) -> ["\"", [escape(C) || <<C>> <= B], "\""].

escape($") -> "\\\"";
escape($\\) -> "\\\\";
escape(C) when C < 32 -> io_lib:format("\\u~4.16.0b", [C]);
escape(C) -> C.
