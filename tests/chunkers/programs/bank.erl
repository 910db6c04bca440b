%% Accounts, each a process of its own.
-module(bank).
-behaviour(gen_server).

-export([start_link/1, deposit/2, balance/1]).
-export([init/1, handle_call/3]).

-define(TIMEOUT, 5000).

-record(account, {owner, balance = 0}).

-type amount() :: non_neg_integer().

-spec start_link(string()) -> {ok, pid()}.
start_link(Owner) ->
    gen_server:start_link(?MODULE, Owner, []).

-spec deposit(pid(), amount()) -> ok.
deposit(Pid, Amount) when Amount > 0 ->
    gen_server:call(Pid, {deposit, Amount}, ?TIMEOUT);
deposit(_Pid, _Amount) ->
    error(badarg).

balance(Pid) ->
    gen_server:call(Pid, balance).

init(Owner) ->
    {ok, #account{owner = Owner}}.

handle_call({deposit, Amount}, _From, State) ->
    Balance = State#account.balance + Amount,
    {reply, ok, State#account{balance = Balance}};
handle_call(balance, _From, State) ->
    {reply, State#account.balance, State}.
