// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

import "./IVault.sol";

error TooLittle(uint256 wanted, uint256 there);

interface IVault {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

library Shares {
    function of(uint256 amount, uint256 all) internal pure returns (uint256) {
        return all == 0 ? 0 : amount * 1e18 / all;
    }
}

/// @title Keeps what it is given.
contract Vault is IVault {
    struct Holder {
        uint256 amount;
        uint64 since;
    }

    enum State { Open, Closed }

    event Deposited(address indexed who, uint256 amount);

    mapping(address => Holder) public holders;

    modifier whenOpen() {
        require(state == State.Open, "closed");
        _;
    }

    constructor(address owner_) {
        owner = owner_;
    }

    function deposit() external payable whenOpen {
        holders[msg.sender].amount += msg.value;
        emit Deposited(msg.sender, msg.value);
    }
}
